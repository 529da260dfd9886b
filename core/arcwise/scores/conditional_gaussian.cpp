// Walks over sets of discrete and continuous variables.
//
// Discrete members split the rows into cells; within each cell, continuous members are eliminated
// one by one from the matrix R of the cell. Only those entries of R are computed that some set
// needs: the diagonal for leaves, and the row of a variable when it is pushed first, kept for all
// sets with the same discrete members. Pushing a discrete variable above continuous ones makes new
// cells, from which these are eliminated anew: it is right but slower, so walks should push
// discrete variables first.
#include "arcwise/scores/conditional_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arcwise/scores/cells.hpp"
#include "arcwise/scores/mixed_rows.hpp"

namespace arcwise {
namespace {

// A row of the matrix that is left over, divided by the root of its pivot.
struct Eliminated {
    std::size_t width = 0;
    std::vector<double> row;  // [cell][place < width]
};

class MixedWalker final : public SubsetWalker {
  public:
    explicit MixedWalker(const MixedRows& sets)
        : sets_(sets),
          levels_(sets.level_counts.size() + 2),
          splits_(sets.level_counts.size() + 2),
          gains_(static_cast<std::size_t>(sets.continuous_below.back())) {
        Split& all = splits_[0];
        all.cell.assign(sets.rows, 0);
        all.cells = sets.rows == 0 ? 0 : 1;
        all.possible = 1.0;
        all.finish_counts(sets);
        begin(levels_[0], 0, sets.continuous_below.back());
    }

    double value() const override { return levels_[depth_].value; }

    void push(int position, bool) override {
        if (sets_.discrete(position)) {
            push_discrete(position, sets_.continuous_below[static_cast<std::size_t>(position)]);
        } else {
            push_continuous(position);
        }
    }

    void pop() override {
        if (levels_[depth_].place >= 0) members_.pop_back();
        --depth_;
    }

    void leaves(int limit, double* out) override {
        const Level& level = levels_[depth_];
        const auto width =
            static_cast<std::size_t>(sets_.continuous_below[static_cast<std::size_t>(limit)]);
        if (width > 0) {
            Split& split = splits_[level.split];
            const std::size_t size = members_.size() + 1;
            std::fill_n(gains_.begin(), width, 0.0);
            double before = 0.0;
            for (std::size_t cell = 0; cell < split.cells; ++cell) {
                const double power = split.data_power(cell, size);
                before += power * level.log_determinants[cell];
                add_weighted_logarithms(gains_.data(), level.diagonal.data() + cell * level.width,
                                        power, split.scale, width);
            }
            leaf_base_ = split.discrete_value + split.constant(sets_, size) - before -
                         sets_.total * level.log_deviations;
        }
        for (int position = 0; position < limit; ++position) {
            out[position] = sets_.discrete(position)
                                ? discrete_leaf(position)
                                : leaf_base_ -
                                      gains_[static_cast<std::size_t>(sets_.place(position))] -
                                      sets_.total * deviation(position);
        }
    }

  private:
    struct Level {
        std::size_t split = 0;
        int place = -1;                        // of the continuous variable pushed, or -1
        std::size_t width = 0;                 // the continuous places that can still be pushed
        std::vector<double> log_determinants;  // of R for the members, by cell
        std::vector<double> diagonal;          // of what is left over, [cell][place < width]
        std::vector<Eliminated> eliminated;    // at this level; those before are of levels before
        std::size_t eliminated_count = 0;
        double log_deviations = 0.0;  // of the members
        double value = 0.0;
    };

    double deviation(int position) const {
        return sets_.log_deviations[static_cast<std::size_t>(position)];
    }

    // A level without continuous members on this split.
    void begin(Level& level, std::size_t split_index, int continuous) {
        Split& split = splits_[split_index];
        split.begin_moments(sets_, static_cast<std::size_t>(continuous));
        level.split = split_index;
        level.place = -1;
        level.width = split.width;
        level.log_determinants.assign(split.cells, 0.0);
        level.diagonal = split.diagonal;
        level.eliminated_count = 0;
        level.log_deviations = 0.0;
        level.value = split.discrete_value;
    }

    void set_value(Level& level, std::size_t size) {
        Split& split = splits_[level.split];
        double sum =
            split.discrete_value + split.constant(sets_, size) - sets_.total * level.log_deviations;
        if (size > 0) {
            for (std::size_t cell = 0; cell < split.cells; ++cell) {
                sum -= split.data_power(cell, size) * level.log_determinants[cell];
            }
        }
        level.value = sum;
    }

    void push_discrete(int position, int continuous) {
        const Level& from = levels_[depth_];
        const Split& coarse = splits_[from.split];
        Split& split = splits_[from.split + 1];
        const std::uint32_t levels = sets_.level_counts[static_cast<std::size_t>(position)];
        split.cell.resize(sets_.rows);
        split.cells = splitter_.split(coarse.cell, static_cast<std::uint32_t>(coarse.cells),
                                      sets_.column(position), levels, split.cell);
        split.possible = std::min(coarse.possible * levels, most_configurations);
        split.finish_counts(sets_);
        Level& to = levels_[depth_ + 1];
        begin(to, from.split + 1, continuous);
        to.log_deviations = from.log_deviations;
        for (std::size_t i = 0; i < members_.size(); ++i) eliminate_again(to, i);
        set_value(to, members_.size());
        ++depth_;
    }

    // Eliminates a member from the cells of a new split, after the members before it.
    void eliminate_again(Level& level, std::size_t index) {
        Split& split = splits_[level.split];
        const auto place = static_cast<std::size_t>(members_[index]);
        const RootedRows rows = sets_.rooted_rows();
        if (again_.size() <= index) again_.resize(index + 1);
        Member& member = again_[index];
        member.means.assign(split.cells, 0.0);
        for (std::size_t row = 0; row < rows.rows; ++row) {
            member.means[split.cell[row]] +=
                rows.roots[row] * rows.values[row * rows.stride + place];
        }
        for (std::size_t cell = 0; cell < split.cells; ++cell) {
            member.means[cell] /= split.counts[cell];
        }
        Eliminated& own = next_eliminated(level);
        own.width = level.width;
        split.products(sets_, place, member.means, level.width, own.row);
        member.with_earlier.assign(index * split.cells, 0.0);
        member.pivots.assign(split.cells, 0.0);
        for (std::size_t row = 0; row < rows.rows; ++row) {
            const std::size_t cell = split.cell[row];
            const double* values = rows.values + row * rows.stride;
            const double from_mean = values[place] - rows.roots[row] * member.means[cell];
            member.pivots[cell] += from_mean * from_mean;
            for (std::size_t earlier = 0; earlier < index; ++earlier) {
                member.with_earlier[earlier * split.cells + cell] +=
                    from_mean * values[static_cast<std::size_t>(members_[earlier])];
            }
        }
        for (std::size_t cell = 0; cell < split.cells; ++cell) {
            const double shrink = split.shrinkage(cell);
            double pivot = member.pivots[cell] + shrink * member.means[cell] * member.means[cell] +
                           split.scale;
            double* row = own.row.data() + cell * own.width;
            for (std::size_t earlier = 0; earlier < index; ++earlier) {
                double& entry = member.with_earlier[earlier * split.cells + cell];
                entry += shrink * member.means[cell] * again_[earlier].means[cell];
                for (std::size_t before = 0; before < earlier; ++before) {
                    entry -= member.with_earlier[before * split.cells + cell] *
                             again_[earlier].with_earlier[before * split.cells + cell];
                }
                entry /= std::sqrt(again_[earlier].pivots[cell]);
                pivot -= entry * entry;
                subtract_multiple(row, level.eliminated[earlier].row.data() + cell * own.width,
                                  entry, own.width);
            }
            member.pivots[cell] = std::max(pivot, split.scale);
            finish_elimination(level, own, cell, member.pivots[cell]);
        }
    }

    void push_continuous(int position) {
        const Level& from = levels_[depth_];
        Level& to = levels_[depth_ + 1];
        Split& split = splits_[from.split];
        const auto place = static_cast<std::size_t>(sets_.place(position));
        to.split = from.split;
        to.place = static_cast<int>(place);
        to.width = place;
        to.log_determinants = from.log_determinants;
        to.log_deviations = from.log_deviations + deviation(position);
        to.diagonal.resize(split.cells * place);
        to.eliminated_count = 0;
        Eliminated& own = next_eliminated(to);
        own.width = place;
        if (place > 0) {
            std::vector<double>& kept = split.rows[place];
            if (kept.empty() && split.cells > 0) {
                column_.resize(split.cells);
                for (std::size_t cell = 0; cell < split.cells; ++cell) {
                    column_[cell] = split.means[cell * split.width + place];
                }
                split.products(sets_, place, column_, place, kept);
            }
            own.row = kept;
        } else {
            own.row.clear();
        }
        for (std::size_t cell = 0; cell < split.cells; ++cell) {
            const double* diagonal = from.diagonal.data() + cell * from.width;
            const double pivot = std::max(diagonal[place], split.scale);
            std::copy_n(diagonal, place, to.diagonal.data() + cell * place);
            double* row = own.row.data() + cell * place;
            // Levels of this split: the one that began it and those on top.
            for (std::size_t depth = depth_ + 1; depth-- > 0;) {
                const Level& before = levels_[depth];
                for (std::size_t i = 0; i < before.eliminated_count; ++i) {
                    const Eliminated& other = before.eliminated[i];
                    const double* entries = other.row.data() + cell * other.width;
                    subtract_multiple(row, entries, entries[place], place);
                }
                if (before.place < 0) break;
            }
            finish_elimination(to, own, cell, pivot);
        }
        members_.push_back(static_cast<int>(place));
        ++depth_;
        set_value(to, members_.size());
    }

    static void finish_elimination(Level& level, Eliminated& own, std::size_t cell, double pivot) {
        level.log_determinants[cell] += std::log(pivot);
        scale_and_eliminate(own.row.data() + cell * own.width,
                            level.diagonal.data() + cell * level.width, 1.0 / std::sqrt(pivot),
                            own.width);
    }

    static Eliminated& next_eliminated(Level& level) {
        if (level.eliminated.size() == level.eliminated_count) level.eliminated.emplace_back();
        return level.eliminated[level.eliminated_count++];
    }

    double discrete_leaf(int position) {
        if (!members_.empty()) {
            push_discrete(position, 0);
            const double result = value();
            pop();
            return result;
        }
        const Split& split = splits_[levels_[depth_].split];
        const std::size_t levels = sets_.level_counts[static_cast<std::size_t>(position)];
        if (split.cells * levels > CellSplitter::dense_limit(sets_.rows)) {
            push_discrete(position, 0);
            const double result = value();
            pop();
            return result;
        }
        histogram_.assign(split.cells * levels, 0.0);
        const std::span<const std::uint16_t> column = sets_.column(position);
        for (std::size_t row = 0; row < sets_.rows; ++row) {
            histogram_[split.cell[row] * levels + column[row]] += sets_.weights[row];
        }
        return sets_.dirichlet(histogram_, std::min(split.possible * static_cast<double>(levels),
                                                    most_configurations));
    }

    // A member that is eliminated again: its mean and pivot in each cell, and its entries with the
    // members before it, divided by the roots of their pivots.
    struct Member {
        std::vector<double> means;
        std::vector<double> pivots;
        std::vector<double> with_earlier;  // [earlier][cell]
    };

    const MixedRows& sets_;
    CellSplitter splitter_;
    std::vector<Level> levels_;
    std::vector<Split> splits_;
    std::size_t depth_ = 0;
    std::vector<int> members_;  // the continuous places, in the order of pushing
    std::vector<Member> again_;
    std::vector<double> gains_;
    std::vector<double> column_;
    std::vector<double> histogram_;
    double leaf_base_ = 0.0;
};

class MixedSets final : public PreparedSets {
  public:
    explicit MixedSets(MixedRows rows) : rows_(std::move(rows)) {}

    std::unique_ptr<SubsetWalker> walker() const override {
        return std::make_unique<MixedWalker>(rows_);
    }

  private:
    MixedRows rows_;
};

class ConditionalGaussianScore final : public SetFunction {
  public:
    ConditionalGaussianScore(MixedTable table, const ConditionalGaussianSettings& settings)
        : table_(std::move(table)), settings_(settings) {}

    std::size_t size() const override { return table_.level_counts.size(); }
    bool intervened(int node) const override { return table_.interventions.any(node); }
    bool pushed_first(int variable) const override {
        return table_.level_counts[static_cast<std::size_t>(variable)] > 0;
    }

    std::unique_ptr<PreparedSets> prepare(std::span<const int> variables, int node) const override {
        return std::make_unique<MixedSets>(MixedRows(table_, settings_, variables, node));
    }

  private:
    MixedTable table_;
    ConditionalGaussianSettings settings_;
};

}  // namespace

std::unique_ptr<SetFunction> make_conditional_gaussian_score(
    MixedTable table, const ConditionalGaussianSettings& settings) {
    return std::make_unique<ConditionalGaussianScore>(std::move(table), settings);
}

}  // namespace arcwise
