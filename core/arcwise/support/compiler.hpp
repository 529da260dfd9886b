// What compilers and platforms have in words of their own, each with plain C++ in its place.
//
// ARCWISE_PLAIN takes the plain C++ everywhere: that is what other compilers get, and the core's
// tests are built once with it (-DARCWISE_PLAIN=ON).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#if defined(__GNUC__) && !defined(ARCWISE_PLAIN)
#define ARCWISE_GNU 1  // gcc, clang and what is made of them
#else
#define ARCWISE_GNU 0
#endif
// Compiles a function once per instruction set; the best one is chosen when the program starts, by
// the loader of glibc: musl, macOS and Windows have none that could.
#if ARCWISE_GNU && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(ARCWISE_SANITIZE)
#define ARCWISE_VERSIONS(...) __attribute__((target_clones("default", __VA_ARGS__)))
#else
#define ARCWISE_VERSIONS(...)
#endif
// Functions that must become part of the version they are used in, and lambdas of which that is
// hoped for.
#if ARCWISE_GNU
#define ARCWISE_INLINE __attribute__((always_inline)) inline
#define ARCWISE_INLINE_LAMBDA __attribute__((always_inline))
#elif defined(_MSC_VER)
#define ARCWISE_INLINE __forceinline
#define ARCWISE_INLINE_LAMBDA
#else
#define ARCWISE_INLINE inline
#define ARCWISE_INLINE_LAMBDA
#endif
// Files as memory, by the calls of POSIX.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(ARCWISE_PLAIN)
#define ARCWISE_MAPS_FILES 1
#else
#define ARCWISE_MAPS_FILES 0
#endif

namespace arcwise {

// Tells the processor that this will be read; changes nothing.
ARCWISE_INLINE void prefetch([[maybe_unused]] const void* place) {
#if ARCWISE_GNU
    __builtin_prefetch(place);
#endif
}

// Names of files, which come in UTF-8, as the platform takes them.

// On Windows a plain string would be read in the code page of the machine.
inline std::filesystem::path file_name(const std::string& name) {
    return std::u8string(name.begin(), name.end());
}

}  // namespace arcwise
