// The counts of a node's family in a completed discrete table, its parameters integrated out.
//
// With pseudo-counts a and counts N, the next row has the cell c of the configuration j with the
// probability (a_c + N_c) / (a_j + N_j), and the likelihood of a table is the product of these, row
// by row in any order. The logarithms of all these probabilities are kept, as cells are asked for
// more often than they change. Where all pseudo-counts of a family are equal, logarithms of all
// counts may be known beforehand (`LogCounts`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

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

}  // namespace arcwise
