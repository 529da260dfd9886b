// Threads that wait for pieces of work.
#include "arcwise/support/crew.hpp"

namespace arcwise {
namespace {

// Looks at a number before a thread sleeps until it changes: some tens of microseconds.
constexpr int looks_awake = 4'000;

void wait_while(const std::atomic<std::uint32_t>& number, std::uint32_t value) {
    for (int look = 0; look < looks_awake; ++look) {
        if (number.load(std::memory_order_acquire) != value) return;
        if (look % 64 == 63) std::this_thread::yield();
    }
    number.wait(value, std::memory_order_acquire);
}

}  // namespace

Crew::Crew(int threads) {
    for (int helper = 1; helper < threads; ++helper) {
        helpers_.start([this] { help(); });
    }
}

Crew::~Crew() {
    over_ = true;
    piece_.fetch_add(1, std::memory_order_release);
    piece_.notify_all();
    helpers_.join();
}

void Crew::help() {
    std::uint32_t done = 0;
    while (true) {
        wait_while(piece_, done);
        if (over_) return;
        ++done;
        work();
        if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
    }
}

void Crew::work() {
    try {
        for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*task_)(i);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = count_;
    }
}

void Crew::run(std::size_t count, const std::function<void(std::size_t)>& task) {
    task_ = &task;
    count_ = count;
    next_ = 0;
    working_ = static_cast<std::uint32_t>(helpers_.size());
    piece_.fetch_add(1, std::memory_order_release);
    piece_.notify_all();
    work();
    for (std::uint32_t left = working_; left > 0; left = working_) wait_while(working_, left);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace arcwise
