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
#include "arcwise/support/random.hpp"

namespace arcwise {

// A row and a column of a table.
struct Place {
    std::size_t row = 0;
    int variable = 0;
};

// Unknown values that are drawn together: all of a row that stand nowhere else, or one value that
// stands in several rows.
struct Unknowns {
    std::vector<Place> places;
    bool copied = false;   // the places are of one value
    bool has_law = false;  // of one value: it stands in columns without a family alone
};

// A discrete table with missing values: its codes, and the places of each unknown value.
struct IncompleteRows {
    // `codes` by row; `cells` the number of the unknown value in each place, -1 where the value is
    // known; `levels` of each variable; `laws` the log probabilities of the levels of variables
    // that have no family, nothing for others; `intervened`, if not empty, by row, where a family
    // counts for nothing. Throws `argument` if sizes, codes or cells do not go together.
    IncompleteRows(std::vector<std::uint16_t> codes, std::span<const std::int64_t> cells,
                   std::vector<int> levels, std::vector<std::vector<double>> laws,
                   std::vector<std::uint8_t> intervened);

    std::size_t variables() const { return levels.size(); }
    std::size_t rows() const { return codes.size() / levels.size(); }
    const std::uint16_t* row(std::size_t number) const { return &codes[number * levels.size()]; }
    bool counts(std::size_t number, int node) const {
        return intervened.empty() ||
               intervened[number * levels.size() + static_cast<std::size_t>(node)] == 0;
    }

    std::vector<std::uint16_t> codes;
    std::vector<int> levels;
    std::vector<std::vector<double>> laws;
    std::vector<std::uint8_t> intervened;
    std::vector<Unknowns> unknowns;
};

class CollapsedChain {
  public:
    // Takes a family for each variable that has no law. `most_completions` is the largest number of
    // completions of a row that are compared at once; rows with more are drawn part by part.
    CollapsedChain(IncompleteRows rows, std::vector<CountedFamily> families,
                   std::size_t most_completions = 64);

    // Draws every unknown value once.
    void sweep(Random& random);

    // Proposes other families of their nodes in a number of steps, with the log ratio of everything
    // but likelihoods; returns whether the proposal was accepted.
    bool move(std::vector<CountedFamily> proposed, double log_ratio, int steps, Random& random);

    const IncompleteRows& rows() const { return rows_; }
    const CountedFamily& family(int node) const;

  private:
    // A family and the exponent of its likelihood in p_b.
    struct TemperedFamily {
        CountedFamily family;
        double exponent = 1.0;
    };
    // All completions of some unknown values of a row: the families that hold one of the variables,
    // and the cell of each completion in their tables. Rows that lack the same values share them.
    struct Completions {
        std::vector<int> variables;
        std::vector<std::size_t> families;  // each once
        std::vector<std::size_t> steps;     // by [variable, family], cells for each level
        std::size_t count = 1;
        std::vector<std::size_t> cells;  // by [completion, family], counted from the first's
        std::vector<double> log_laws;    // by completion; nothing if no variable has a law
    };
    using CompletionsByVariables = std::map<std::vector<int>, Completions>;
    // The unknown values of a row and their completions, unless these are listed for each draw
    // because there are too many to be compared at once.
    struct UnknownsToDraw {
        const Unknowns* unknowns = nullptr;
        const Completions* completions = nullptr;
    };
    // The predictive probabilities of a family for the completions of a row.
    struct TemperedPredictives {
        const double* log_predictives;  // from the cell of the first completion on
        double exponent;
    };

    void count(CountedFamily& family);
    void list_families();
    // Finds the unknowns that hold one of some variables.
    std::vector<UnknownsToDraw> holding(const std::vector<std::uint8_t>& some) const;
    // Lists the completions for draws of some variables that are repeated while families stay.
    void prepare(std::vector<UnknownsToDraw>& draws, const std::vector<std::uint8_t>& some,
                 CompletionsByVariables& known);
    // Draws the values of some variables among these unknowns.
    void sweep_some(std::span<const UnknownsToDraw> draws, const std::vector<std::uint8_t>& some,
                    Random& random);
    // Finds the places of some variables; returns whether they have too many completions.
    bool find_places(const Unknowns& unknowns, const std::vector<std::uint8_t>& some);
    void list_completions(Completions& completions, std::span<const Place> places) const;
    void draw_of_row(const Completions& completions, std::size_t row, Random& random);
    void draw_in_parts(bool forward, Random& random);
    void draw_copied(const Unknowns& one, Random& random);
    std::size_t draw_completion(Random& random);

    IncompleteRows rows_;
    std::size_t most_completions_;
    std::shared_ptr<LogCounts> logs_of_counts_;  // which families point to, in copies as well
    std::vector<TemperedFamily> families_;
    std::vector<std::vector<std::size_t>> families_of_;  // the families that hold each variable
    std::vector<std::uint8_t> all_;

    // Scratch memory of a draw.
    std::vector<TemperedPredictives> predictives_;
    Completions completions_;
    std::vector<double> logs_;
    std::vector<Place> places_;
    std::vector<std::size_t> parts_;
};

}  // namespace arcwise
