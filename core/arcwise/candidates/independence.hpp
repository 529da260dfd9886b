// Tests of conditional independence of two variables given a set of others.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arcwise/scores/discrete.hpp"
#include "arcwise/scores/gaussian.hpp"

namespace arcwise {

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

    // Whether there are rows enough to test given so many others.
    virtual bool possible(std::size_t conditioning) const = 0;

    // How much a test given so many others takes, in visits to a row of the data or the like.
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

}  // namespace arcwise
