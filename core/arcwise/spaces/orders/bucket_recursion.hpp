// The sum over all orders of the members of one bucket, and what it says about single orders.
//
// The members 0 .. b-1 come after a base set and before all other nodes. With alpha_i(Y) the score
// sum of member i when exactly the base and the members Y come before it, the recursion is equation
// (10) of Niinimaki, Parviainen and Koivisto (2016) on the subsets of the bucket:
//
//   forward:   G(empty) = 1,  G(Y) = sum over i in Y     of alpha_i(Y - i) G(Y - i)
//   backward:  B(all)   = 1,  B(Y) = sum over i not in Y of alpha_i(Y) B(Y + i)
//
// All values are logarithms and may be any number of nats apart; minus infinity stands for zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

constexpr int most_bucket_members = 20;

// The tables of b <= most_bucket_members members: that of member i has ln alpha_i for the 2^(b-1)
// subsets of the other members. The bits of a subset are the members' positions with i taken out;
// see squeeze_bit. Reading is fastest where tables start on a boundary of 64 bytes.
using BucketSums = std::span<const double* const>;

// Solves the recursion for one bucket after the other in its own memory; belongs to one thread.
class BucketRecursion {
  public:
    // Makes room for buckets of up to this number of members; larger ones make it grow.
    explicit BucketRecursion(int members = 0) { reserve(members); }

    void reserve(int members);

    // ln G(all), the weight of the bucket.
    double log_score(BucketSums log_sums);

    // Set out[Y] to ln G(Y) or ln B(Y) for all 2^b subsets by their bits.
    void log_forward(BucketSums log_sums, double* out);
    void log_backward(BucketSums log_sums, double* out);

  private:
    // Sets best_ and sums_.
    void solve(BucketSums log_sums);

    std::vector<double> memory_;  // holds the tables below, each from the start of a cache line
    double* best_ = nullptr;      // the weight of the best order of each subset
    double* sums_ = nullptr;      // G relative to it
};

// The distribution of the order of the members. The tables must outlive this.
class BucketOrderLaw {
  public:
    BucketOrderLaw(BucketSums log_sums, BucketRecursion& recursion);

    // ln G(all); if it is minus infinity, there is no law, and nothing else may be asked.
    double log_score() const { return forward_.back(); }

    // Sets out[Y] to ln of the probability that the members before this one are exactly Y, for all
    // subsets Y of the others as in its table.
    void log_predecessors(int member, double* out) const;

    // Draws an order: the first member to the last.
    void draw(Random& random, int* order) const;

  private:
    std::vector<const double*> log_sums_;
    std::vector<double> forward_;
    std::vector<double> backward_;
};

}  // namespace arcwise
