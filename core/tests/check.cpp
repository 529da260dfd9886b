// Keeps the list of tests, runs them and counts.
#include "check.hpp"

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

namespace arcwise::tests {
namespace {

struct NamedTest {
    const char* name;
    void (*run)();
};

// Inside a function, so that it is there before the first registration of any file.
std::vector<NamedTest>& all_tests() {
    static std::vector<NamedTest> tests;
    return tests;
}

const char* current = "";
int failures_of_current = 0;

// The core throws only its own errors; others that reach a test are reported by what they say.
std::string description(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "something that is no exception";
    }
}

}  // namespace

Registration::Registration(const char* name, void (*test)()) {
    all_tests().push_back({name, test});
}

void report_failure(const char* file, int line, const std::string& what) {
    // A loop that goes wrong would say the same a thousand times.
    constexpr int most_reported = 10;
    ++failures_of_current;
    if (failures_of_current <= most_reported) {
        std::printf("%s:%d: in %s: %s\n", file, line, current, what.c_str());
    }
}

bool close(double actual, double expected, double tolerance) {
    return actual == expected || std::abs(actual - expected) <= tolerance;
}

std::string in_words(double number) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", number);
    return digits;
}

std::string why_not_thrown(ErrorKind kind, const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        if (error.kind() == kind) return {};
        return std::string("an error of another kind: ") + error.what();
    } catch (...) {
        return "a foreign exception: " + description(std::current_exception());
    }
    return "no error";
}

int run_all(const std::string& part, std::size_t first, std::size_t every) {
    int passed = 0;
    int failed = 0;
    for (std::size_t i = first; i < all_tests().size(); i += every) {
        const NamedTest& test = all_tests()[i];
        if (std::string(test.name).find(part) == std::string::npos) continue;
        current = test.name;
        failures_of_current = 0;
        try {
            test.run();
        } catch (...) {
            report_failure(test.name, 0, "threw: " + description(std::current_exception()));
        }
        ++(failures_of_current == 0 ? passed : failed);
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed;
}

}  // namespace arcwise::tests

// core_tests [PART OF A NAME [FIRST EVERY]]
int main(int count, char** words) {
    const std::string part = count > 1 ? words[1] : "";
    if (count < 4) return arcwise::tests::run_all(part, 0, 1) > 0;
    return arcwise::tests::run_all(part, std::stoul(words[2]), std::stoul(words[3])) > 0;
}
