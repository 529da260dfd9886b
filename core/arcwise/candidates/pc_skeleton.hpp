// The skeleton by the PC algorithm in its order-independent form (Colombo and Maathuis 2014).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "arcwise/candidates/independence.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct PcSettings {
    double alpha = 0.01;
    int max_conditioning = -1;  // the largest conditioning set; negative: no bound
    // A level that may take more than this, in the unit of the tests, is left out with all after
    // it: the number of sets grows so fast that the last levels of a dense skeleton take days.
    double most_work = std::numeric_limits<double>::infinity();
};

struct PcSkeleton {
    std::vector<std::uint8_t> joined;  // variables x variables, symmetric
    std::vector<double> log_p;         // of each edge kept: the largest of all its tests
    int conditioned = -1;              // the size of the sets of the last complete level
    bool complete = false;             // whether it went as far as it was asked to
};

// Starts from the pairs of `possible` and takes an edge away once its ends are independent given
// some neighbours of either; neighbours are those at the start of a level, so that the order of the
// variables does not matter. Edges of `fixed` are kept untested. Both matrices are symmetric.
//
// A run that is stopped leaves in `skeleton` what it has found so far, which lacks no edge that the
// complete run would keep.
void pc_skeleton(const IndependenceTest& test, std::span<const std::uint8_t> possible,
                 std::span<const std::uint8_t> fixed, const PcSettings& settings,
                 const RunOptions& options, PcSkeleton& skeleton);

}  // namespace arcwise
