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

#include "arcwise/support/random.hpp"

namespace arcwise {

// Where a row stands in the table of a family.
struct FamilyCell {
    std::size_t cell = 0;
    std::size_t configuration = 0;
};

// The logarithms of a pseudo-count and 0, 1, 2, .. rows, for each pseudo-count that was asked for.
class LogCounts {
  public:
    explicit LogCounts(std::size_t rows) : rows_(rows) {}

    // Valid as long as this is.
    const double* of(double pseudo_count);

  private:
    std::size_t rows_;
    std::map<double, std::vector<double>> known_;
};

// The counts of a node's family in a completed discrete table, its parameters integrated out.
//
// With pseudo-counts a and counts N, the next row has the cell c of the configuration j with the
// probability (a_c + N_c) / (a_j + N_j), and the likelihood of a table is the product of these, row
// by row in any order. The logarithms of all these probabilities are kept, as cells are asked for
// more often than they change. Where all pseudo-counts of a family are equal, logarithms of all
// counts may be known beforehand (`LogCounts`).
class CountedFamily {
  public:
    // `pseudo_counts` by [configuration of parents, level of the node], the first parent slowest;
    // all above zero. Throws `argument` where there are too few or too many.
    CountedFamily(int node, std::vector<int> parents, std::vector<double> pseudo_counts,
                  std::span<const int> levels);

    int node() const { return node_; }
    const std::vector<int>& parents() const { return parents_; }
    bool holds(int variable) const;

    FamilyCell cell_of(const std::uint16_t* row) const {
        std::size_t configuration = 0;
        for (std::size_t i = 0; i < parents_.size(); ++i) {
            configuration += configuration_steps_[i] * row[parents_[i]];
        }
        return {configuration * levels_ + row[node_], configuration};
    }

    // By what the cell of a row changes for each level of a variable that the family holds.
    FamilyCell step_of(int variable) const;

    // The log probability that the next row has this cell of its configuration.
    double log_predictive(FamilyCell at) const { return log_predictives_[at.cell]; }
    // Those of all cells; valid until the family is changed otherwise than by `add` and `remove`.
    const double* log_predictives() const { return log_predictives_.data(); }

    void add(FamilyCell at) {
        log_likelihood_ += log_predictive(at);
        ++counts_[at.cell];
        ++sums_[at.configuration];
        look_at(at);
    }
    void remove(FamilyCell at) {
        --counts_[at.cell];
        --sums_[at.configuration];
        look_at(at);
        log_likelihood_ -= log_predictive(at);
    }

    double log_likelihood() const { return log_likelihood_; }

    // Looks logarithms up from now on, if all its pseudo-counts are equal.
    void look_up(LogCounts& known);

  private:
    // Finds the probabilities again after a cell has changed.
    void look_at(FamilyCell at) {
        double log_sum = 0.0;
        if (known_counts_ != nullptr) {
            log_counts_[at.cell] = known_counts_[counts_[at.cell]];
            log_sum = known_sums_[sums_[at.configuration]];
        } else {
            log_sum = found_logarithms(at);
        }
        const std::size_t first = at.configuration * levels_;
        for (std::size_t cell = first; cell < first + levels_; ++cell) {
            log_predictives_[cell] = log_counts_[cell] - log_sum;
        }
    }
    // Sets that of a cell and returns that of its configuration.
    double found_logarithms(FamilyCell at);

    int node_;
    std::vector<int> parents_;
    std::size_t levels_;
    std::vector<std::size_t> configuration_steps_;
    std::vector<double> pseudo_counts_, pseudo_sums_;
    std::vector<std::uint32_t> counts_, sums_;
    std::vector<double> log_counts_, log_predictives_;
    double log_likelihood_ = 0.0;
    const double* known_counts_ = nullptr;  // nothing if pseudo-counts differ
    const double* known_sums_ = nullptr;
};

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
