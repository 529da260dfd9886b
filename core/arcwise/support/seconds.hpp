// The time, for budgets that are given in it.
#pragma once

#include <chrono>

namespace arcwise {

inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace arcwise
