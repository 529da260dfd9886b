// What kernels need of the platform, so that one source compiles as CUDA and as plain C++.
//
// A kernel is a function of a `Block`: it goes through its items with `for_each`, which shares them
// out among the threads of the block, and waits with `sync`. On a device threads are the device's;
// in plain C++ a block has any number of them, one as well, and the same arithmetic. CUDA compiles
// without contraction of products and sums, so that results are the same to the last bit.
#pragma once

#if defined(__CUDACC__)
#define ARCWISE_DEVICE __device__ __forceinline__
// Several turns of a loop at once, so that its loads wait together.
#define ARCWISE_UNROLL _Pragma("unroll 4")
// All turns, so that an array that they index stays in registers.
#define ARCWISE_UNROLL_ALL _Pragma("unroll")
#else
#include <atomic>
#include <barrier>
#include <bit>
#define ARCWISE_DEVICE inline
#define ARCWISE_UNROLL
#define ARCWISE_UNROLL_ALL
#endif

namespace arcwise::kernels {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

#if defined(__CUDACC__)

struct Block {
    ARCWISE_DEVICE int thread() const { return static_cast<int>(threadIdx.x); }
    ARCWISE_DEVICE int threads() const { return static_cast<int>(blockDim.x); }
    ARCWISE_DEVICE u64 index() const { return blockIdx.x; }
    ARCWISE_DEVICE u64 blocks() const { return gridDim.x; }
    ARCWISE_DEVICE void sync() const { __syncthreads(); }
};

ARCWISE_DEVICE double as_double(u64 bits) { return __longlong_as_double(static_cast<i64>(bits)); }
ARCWISE_DEVICE u64 as_bits(double value) { return static_cast<u64>(__double_as_longlong(value)); }
ARCWISE_DEVICE u32 high_product(u32 a, u32 b) { return __umulhi(a, b); }
ARCWISE_DEVICE int first_bit(u32 set) { return __ffs(static_cast<int>(set)) - 1; }
ARCWISE_DEVICE void atomic_add(u64* to, u64 value) { atomicAdd(to, value); }
ARCWISE_DEVICE void atomic_add(u32* to, u32 value) { atomicAdd(to, value); }
ARCWISE_DEVICE void raise_flag(i32* flag) { *flag = 1; }  // all who write it write the same

#else

struct Block {
    int thread_ = 0;
    int threads_ = 1;
    u64 index_ = 0;
    u64 blocks_ = 1;
    std::barrier<>* barrier = nullptr;

    int thread() const { return thread_; }
    int threads() const { return threads_; }
    u64 index() const { return index_; }
    u64 blocks() const { return blocks_; }
    void sync() const {
        if (barrier != nullptr) barrier->arrive_and_wait();
    }
};

inline double as_double(u64 bits) { return std::bit_cast<double>(bits); }
inline u64 as_bits(double value) { return std::bit_cast<u64>(value); }
inline u32 high_product(u32 a, u32 b) { return static_cast<u32>((u64{a} * b) >> 32); }
inline int first_bit(u32 set) { return std::countr_zero(set); }
inline void atomic_add(u64* to, u64 value) {
    std::atomic_ref<u64>(*to).fetch_add(value, std::memory_order_relaxed);
}
inline void atomic_add(u32* to, u32 value) {
    std::atomic_ref<u32>(*to).fetch_add(value, std::memory_order_relaxed);
}
inline void raise_flag(i32* flag) {
    std::atomic_ref<i32>(*flag).store(1, std::memory_order_relaxed);
}

#endif

// Calls use(item) for every item, shared out among the threads of the block.
template <class Use>
ARCWISE_DEVICE void for_each(const Block& block, u32 items, Use use) {
    for (u32 item = static_cast<u32>(block.thread()); item < items;
         item += static_cast<u32>(block.threads())) {
        use(item);
    }
}

// The place of a set in a table over the sets without a member, and back.
ARCWISE_DEVICE u32 without_bit(u32 set, int bit) {
    const u32 below = (u32{1} << bit) - 1;
    return (set & below) | ((set >> 1) & ~below);
}
ARCWISE_DEVICE u32 with_gap(u32 place, int bit) {
    const u32 below = (u32{1} << bit) - 1;
    return (place & below) | ((place & ~below) << 1);
}

}  // namespace arcwise::kernels
