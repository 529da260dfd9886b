// All down-sets of a partial order, the sets that contain, with an element, all that comes before
// it; and the sum over its linear extensions by dynamic programming over them.
//
// A linear extension adds one element after the other and so walks from the empty set to the full
// one; each of its steps is a transition of this lattice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

constexpr int most_lattice_positions = 64;
constexpr std::size_t most_downsets = std::size_t{1} << 20;

class DownsetLattice {
  public:
    // The set `from` becomes `to` by one element.
    struct Transition {
        std::uint32_t from;
        std::uint32_t to;
        std::uint32_t element;
    };

    // For each position those that must come before it, as bits; relations that follow from others
    // by transitivity may be left out. Refuses cycles, and orders with more down-sets than `most`.
    explicit DownsetLattice(std::vector<std::uint64_t> predecessors,
                            std::size_t most = most_downsets);

    int positions() const { return static_cast<int>(predecessors_.size()); }

    // All that comes before a position, as bits.
    std::uint64_t predecessors(int position) const {
        return predecessors_[static_cast<std::size_t>(position)];
    }

    // Down-sets are numbered by growing size: the first is empty, the last is full.
    std::size_t size() const { return sets_.size(); }
    std::uint64_t set(std::size_t number) const { return sets_[number]; }

    // By growing `from`: all that leads to a set comes before all that leads on from it.
    std::span<const Transition> transitions() const { return transitions_; }

    // The numbers of the transitions that lead to a set.
    std::span<const std::uint32_t> leading_to(std::size_t number) const {
        return std::span(leading_).subspan(first_leading_[number],
                                           first_leading_[number + 1] - first_leading_[number]);
    }

  private:
    std::vector<std::uint64_t> predecessors_;
    std::vector<std::uint64_t> sets_;
    std::vector<Transition> transitions_;
    std::vector<std::uint32_t> leading_;
    std::vector<std::size_t> first_leading_;
};

// All that comes before each position, as bits, from relations that imply the others; refuses
// cycles.
std::vector<std::uint64_t> transitive_closure(std::vector<std::uint64_t> predecessors);

// The sum over all linear extensions of a partial order, by its down-sets.
//
// Equation (10) and section 5.4 of Niinimaki, Parviainen and Koivisto (2016), with a number
// alpha for each transition of the lattice:
//
//   forward:   F(empty) = 1,  F(to)   = sum over the transitions to it   of alpha F(from)
//   backward:  B(full)  = 1,  B(from) = sum over the transitions from it of alpha B(to)
//
// As for buckets (bucket_recursion.hpp) all values are logarithms, any number of nats apart. One
// object solves one recursion after the other in its own memory; it belongs to one thread.
class LatticeRecursion {
  public:
    explicit LatticeRecursion(const DownsetLattice& lattice)
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
