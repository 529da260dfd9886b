// The sum over all linear extensions of a partial order, by its down-sets.
//
// Equation (10) and section 5.4 of Niinimaki, Parviainen and Koivisto (2016), with a number
// alpha for each transition of the lattice:
//
//   forward:   F(empty) = 1,  F(to)   = sum over the transitions to it   of alpha F(from)
//   backward:  B(full)  = 1,  B(from) = sum over the transitions from it of alpha B(to)
//
// As for buckets (bucket_programme.hpp) all values are logarithms, any number of nats apart.
#pragma once

#include <vector>

#include "arcwise/spaces/orders/downset_lattice.hpp"

namespace arcwise {

// Solves one programme after the other in memory of its own; belongs to one thread.
class LatticeProgramme {
  public:
    explicit LatticeProgramme(const DownsetLattice& lattice)
        : lattice_(&lattice), best_(lattice.size()), sums_(lattice.size()) {}

    // ln F(full), from ln alpha of each transition.
    double log_score(const double* log_sums);

    // ln F and ln B of every set, by its number.
    std::vector<double> log_forward(const double* log_sums);
    std::vector<double> log_backward(const double* log_sums);

  private:
    std::vector<double> logarithms() const;

    const DownsetLattice* lattice_;
    std::vector<double> best_;  // the weight of the best way to each set
    std::vector<double> sums_;  // F or B relative to it
};

}  // namespace arcwise
