// The skeleton by the PC algorithm in its order-independent form (Colombo and Maathuis 2014).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/scores/discrete.hpp"
#include "arcwise/scores/gaussian.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// Tests of conditional independence of two variables given a set of others.

// The tests of one variable given one set, made by one thread; what all share is done once.
class ConditionedTests {
  public:
    virtual ~ConditionedTests() = default;

    // Chooses the variable and the set; the set does not hold the variable.
    virtual void condition(int variable, std::span<const int> set) = 0;

    // The log of the probability of data as dependent as these, were the variable and `other`
    // independent given the set.
    virtual double log_p(int other) = 0;
};

class IndependenceTest {
  public:
    virtual ~IndependenceTest() = default;

    virtual int variables() const = 0;

    // Whether there are enough rows to test given this number of others.
    virtual bool possible(std::size_t conditioning) const = 0;

    // The work of a test given this number of others, in visits to a row of the data or the like.
    virtual double work(std::size_t conditioning) const = 0;

    virtual std::unique_ptr<ConditionedTests> tests() const = 0;
};

// Fisher's z of the partial correlation. A variable that is constant, or a linear function of the
// set, is independent of all others.
std::unique_ptr<IndependenceTest> make_fisher_z_test(const ContinuousTable& table);

// The likelihood ratio (Wilks' Lambda with Bartlett's correction) of partial correlations between
// blocks of columns, one block for each variable: `starts` has the first column of each, and the
// number of columns at the end. With an indicator column for each level but one of a discrete
// variable, it tests tables of discrete and continuous variables (the degenerate Gaussian of
// Andrews, Ramsey and Cooper 2019). With blocks of one column it differs from Fisher's z by little.
std::unique_ptr<IndependenceTest> make_block_test(const ContinuousTable& columns,
                                                  std::vector<int> starts);

// The likelihood ratio G² of the contingency table. A combination of levels of the set adds (r - 1)
// (s - 1) degrees of freedom, r and s the numbers of levels that the two variables have within it;
// counting levels that no row there has would find too few dependences in sparse tables.
std::unique_ptr<IndependenceTest> make_g_squared_test(DiscreteTable table);

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
