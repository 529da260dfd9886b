// The few words the tests of the core are written in: TEST, CHECK, CHECK_CLOSE, CHECK_THROWS_KIND.
//
// A check that fails is reported with its place and the test goes on; a test passes if all its
// checks do and nothing is thrown out of it. Checks belong to the main thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "arcwise/support/error.hpp"

namespace arcwise::tests {

// Sanitizers look at memory and take ten times as long: laws are left to the build without them.
#ifdef ARCWISE_SANITIZE
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// Enters a test among those `run_all` runs; made by TEST.
class Registration {
  public:
    Registration(const char* name, void (*test)());
};

void report_failure(const char* file, int line, const std::string& what);

// Whether two numbers differ by at most `tolerance`; equal infinities do, and nothing does to NaN.
bool close(double actual, double expected, double tolerance);

std::string in_words(double number);

// What went wrong when `action` should have thrown an error of this kind; empty if it did.
std::string why_not_thrown(ErrorKind kind, const std::function<void()>& action);

// Runs those of the tests `first`, `first + every`, ... whose names contain `part`, which leaves
// the others to other processes; returns how many failed.
int run_all(const std::string& part, std::size_t first, std::size_t every);

}  // namespace arcwise::tests

#define TEST(name)                                                                \
    static void name();                                                           \
    static const ::arcwise::tests::Registration name##_registration(#name, name); \
    static void name()

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) ::arcwise::tests::report_failure(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_CLOSE(actual, expected, tolerance)                                         \
    do {                                                                                 \
        const double actual_value = (actual);                                            \
        const double expected_value = (expected);                                        \
        if (!::arcwise::tests::close(actual_value, expected_value, (tolerance))) {       \
            ::arcwise::tests::report_failure(                                            \
                __FILE__, __LINE__,                                                      \
                std::string(#actual " is ") + ::arcwise::tests::in_words(actual_value) + \
                    ", not " + ::arcwise::tests::in_words(expected_value));              \
        }                                                                                \
    } while (false)

#define CHECK_THROWS_KIND(expression, kind)                                                   \
    do {                                                                                      \
        const std::string problem = ::arcwise::tests::why_not_thrown(                         \
            ::arcwise::ErrorKind::kind, [&] { static_cast<void>(expression); });              \
        if (!problem.empty()) {                                                               \
            ::arcwise::tests::report_failure(__FILE__, __LINE__, #expression ": " + problem); \
        }                                                                                     \
    } while (false)
