// A chain over DAGs and the unknown values of a discrete table, parameters integrated out.
//
// Values are drawn a row at a time, or some of a row, given all others (Gibbs sampling). A change
// of families is proposed together with new values: from the values under the old families f, one
// goes to those under the new ones g in T steps, along
//
//     p_b(values)  ~  f(values)^(1-b) g(values)^b,     b = 0, 1/T, .., 1,
//
// drawing values at every b between by a kernel that leaves p_b as it is and has detailed balance,
// and accepts with the probability min(1, w), log w = sum over the steps of (log g - log f) / T at
// the values before the step. The way back has the weight 1/w and the same law, so the chain
// keeps p(families, values) (Neal 1996, "Sampling from multimodal distributions using tempered
// transitions"; Karagiannis and Andrieu 2013, "Annealed importance sampling reversible jump MCMC
// algorithms"). With more steps, the probability of acceptance tends to what it is with all values
// summed out: values that were drawn under one DAG no longer hold the chain there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "arcwise/imputation/counted_family.hpp"
#include "arcwise/imputation/incomplete_rows.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

class CollapsedChain {
  public:
    // One family for each variable that has no law. `most_lines` is the largest number of
    // completions of a row that are compared at once; of rows with more, parts are drawn in turn.
    CollapsedChain(IncompleteRows rows, std::vector<CountedFamily> families,
                   std::size_t most_lines = 64);

    // Draws every unknown value once.
    void sweep(Random& random);

    // Proposes other families of their nodes, with the log ratio of everything but likelihoods, in
    // so many steps; returns whether it was accepted.
    bool move(std::vector<CountedFamily> proposed, double log_ratio, int steps, Random& random);

    const IncompleteRows& rows() const { return rows_; }
    const CountedFamily& family(int node) const;

  private:
    // A family at work, with the exponent that its likelihood has.
    struct Term {
        CountedFamily family;
        double exponent = 1.0;
    };
    // A draw of some unknown values of a row: the families that hold one of them, and where each
    // completion stands in their tables. Rows that lack the same values share it.
    struct Plan {
        std::vector<int> variables;
        std::vector<std::size_t> terms;  // each once
        std::vector<std::size_t> steps;  // by [variable, term], cells for each level
        std::size_t completions = 1;
        std::vector<std::size_t> cells;  // by [completion, term], from those of the first on
        std::vector<double> log_laws;    // by completion; nothing if no variable has a law
    };
    using Plans = std::map<std::vector<int>, Plan>;
    // The unknown values of a row, and the plan of those that are drawn; none if it is made for
    // each draw, where there are too many completions for one.
    struct Draw {
        const Unknowns* unknowns = nullptr;
        const Plan* plan = nullptr;
    };
    // Where a family stands during a draw.
    struct Touched {
        const double* log_predictives;  // from the cell of the first completion on
        double exponent;
    };

    void count(CountedFamily& family);
    void list_terms();
    // The unknowns that hold one of some variables.
    std::vector<Draw> holding(const std::vector<std::uint8_t>& some) const;
    // Makes the plans of draws of some variables that are repeated as long as families stay.
    void prepare(std::vector<Draw>& draws, const std::vector<std::uint8_t>& some, Plans& plans);
    // Draws the values of some variables among these unknowns.
    void sweep_some(std::span<const Draw> draws, const std::vector<std::uint8_t>& some,
                    Random& random);
    // Finds the places of some variables; returns whether they have too many completions.
    bool find_places(const Unknowns& unknowns, const std::vector<std::uint8_t>& some);
    void make(Plan& plan, std::span<const Place> places) const;
    void draw_of_row(const Plan& plan, std::size_t row, Random& random);
    void draw_in_parts(bool forward, Random& random);
    void draw_copied(const Unknowns& one, Random& random);
    std::size_t drawn_line(Random& random);

    IncompleteRows rows_;
    std::size_t most_lines_;
    std::shared_ptr<LogCounts> logs_of_counts_;  // which families point to, in copies as well
    std::vector<Term> terms_;
    std::vector<std::vector<std::size_t>> terms_of_;  // the terms that hold each variable
    std::vector<std::uint8_t> all_;

    // Of a draw.
    std::vector<Touched> touched_;
    Plan plan_;
    std::vector<double> logs_;
    std::vector<Place> places_;
    std::vector<std::size_t> parts_;
};

}  // namespace arcwise
