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
#include <numbers>
#include <utility>

#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/cells.hpp"
#include "arcwise/scores/conditional_gaussian_kernels.hpp"

namespace arcwise {
namespace {

// Beyond so many configurations the imaginary rows of each would be too few for a double.
constexpr double most_configurations = 1e100;

class MixedSets final : public PreparedSets {
  public:
    std::unique_ptr<SubsetWalker> walker() const override;

    bool discrete(int position) const {
        return level_counts[static_cast<std::size_t>(position)] > 0;
    }
    std::span<const std::uint16_t> column(int position) const {
        return std::span(codes).subspan(static_cast<std::size_t>(place(position)) * rows, rows);
    }
    // Among the positions of its kind.
    int place(int position) const { return places[static_cast<std::size_t>(position)]; }

    ConditionalGaussianSettings settings;
    std::size_t rows = 0;
    double total = 0.0;                       // of the weights
    std::vector<std::uint32_t> level_counts;  // by position; 0: continuous
    std::vector<int> places;                  // by position
    std::vector<int> continuous_below;        // by position, and of all at the end
    std::vector<double> log_deviations;       // by position
    std::vector<std::uint16_t> codes;         // rows x discrete places, column after column
    std::vector<double> rooted;               // rows x continuous places, row after row
    std::vector<double> weights;              // by row
    std::vector<double> roots;                // of the weights

    RootedRows rooted_rows() const {
        return {rooted.data(), roots.data(), rows,
                static_cast<std::size_t>(continuous_below.back())};
    }
};

// The rows split into cells by the discrete members, and what that means for all sets of
// continuous variables.
struct Split {
    std::vector<std::uint32_t> cell;  // by row
    std::size_t cells = 0;
    double possible = 1.0;
    std::vector<double> counts;  // by cell
    double discrete_value = 0.0;
    double alpha = 0.0;
    double degrees = 0.0;
    double scale = 0.0;
    std::vector<double> constants;          // sum over cells of what R does not enter, by |C|
    std::size_t width = 0;                  // the continuous places that can still be pushed
    std::vector<double> means;              // [cell][place < width]
    std::vector<double> diagonal;           // of R, [cell][place < width]
    std::vector<std::vector<double>> rows;  // of R, [place] -> [cell][other < place], or empty
};

// A row of the matrix that is left over, divided by the root of its pivot.
struct Eliminated {
    std::size_t width = 0;
    std::vector<double> row;  // [cell][place < width]
};

class MixedWalker final : public SubsetWalker {
  public:
    explicit MixedWalker(const MixedSets& sets)
        : sets_(sets),
          levels_(sets.level_counts.size() + 2),
          splits_(sets.level_counts.size() + 2),
          gains_(static_cast<std::size_t>(sets.continuous_below.back())) {
        Split& all = splits_[0];
        all.cell.assign(sets.rows, 0);
        all.cells = sets.rows == 0 ? 0 : 1;
        all.possible = 1.0;
        finish_counts(all);
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
                const double power = data_power(split, cell, size);
                before += power * level.log_determinants[cell];
                add_weighted_logarithms(gains_.data(), level.diagonal.data() + cell * level.width,
                                        power, split.scale, width);
            }
            leaf_base_ = split.discrete_value + constant(split, size) - before -
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

    static double data_power(const Split& split, std::size_t cell, std::size_t size) {
        return 0.5 * (split.counts[cell] + split.degrees + static_cast<double>(size) - 1.0);
    }

    // Sets what follows from the cells alone.
    void finish_counts(Split& split) const {
        const ConditionalGaussianSettings& settings = sets_.settings;
        split.counts.assign(split.cells, 0.0);
        for (std::size_t row = 0; row < sets_.rows; ++row) {
            split.counts[split.cell[row]] += sets_.weights[row];
        }
        split.alpha = settings.alpha_mu / split.possible;
        split.degrees = settings.degrees / split.possible;
        split.scale = settings.scale / split.possible;
        split.constants.assign(1, 0.0);
        split.discrete_value = dirichlet(split.counts, split.possible);
    }

    double dirichlet(std::span<const double> counts, double possible) const {
        const double pseudo_count = sets_.settings.equivalent_sample_size / possible;
        const double of_none = log_gamma(pseudo_count);
        double sum = 0.0;
        for (const double count : counts) {
            if (count > 0.0) sum += log_gamma(pseudo_count + count) - of_none;
        }
        return sum;
    }

    // The sum over cells of all terms of M_d(C), |C| = size, but the one with R.
    double constant(Split& split, std::size_t size) const {
        while (split.constants.size() <= size) {
            const auto l = static_cast<double>(split.constants.size());
            // What a set of l has more than one of l - 1.
            double sum = -0.5 * sets_.total * std::log(std::numbers::pi);
            const double prior_power = 0.5 * (split.degrees + l - 1.0);
            const double of_none = log_gamma(prior_power);
            const double log_scale = std::log(split.scale);
            const double of_scale =
                (prior_power * l - 0.5 * (split.degrees + l - 2.0) * (l - 1.0)) * log_scale;
            for (const double count : split.counts) {
                sum += 0.5 * std::log(split.alpha / (count + split.alpha)) +
                       log_gamma(prior_power + 0.5 * count) - of_none + of_scale;
            }
            split.constants.push_back(split.constants.back() + sum);
        }
        return split.constants[size];
    }

    // Means and the diagonal of R for the continuous places below `width`.
    void begin_moments(Split& split, std::size_t width) const {
        split.width = width;
        split.means.assign(split.cells * width, 0.0);
        split.diagonal.assign(split.cells * width, 0.0);
        split.rows.resize(static_cast<std::size_t>(sets_.continuous_below.back()));
        for (std::vector<double>& row : split.rows) row.clear();
        if (width == 0) return;
        const RootedRows rows = sets_.rooted_rows();
        add_sums(rows, split.cell.data(), width, split.means.data());
        for (std::size_t cell = 0; cell < split.cells; ++cell) {
            for (std::size_t i = 0; i < width; ++i) {
                split.means[cell * width + i] /= split.counts[cell];
            }
        }
        add_squares(rows, split.cell.data(), split.means.data(), width, split.diagonal.data());
        for (std::size_t cell = 0; cell < split.cells; ++cell) {
            const double shrink = shrinkage(split, cell);
            for (std::size_t i = 0; i < width; ++i) {
                const double mean = split.means[cell * width + i];
                split.diagonal[cell * width + i] += shrink * mean * mean + split.scale;
            }
        }
    }

    static double shrinkage(const Split& split, std::size_t cell) {
        return split.counts[cell] * split.alpha / (split.counts[cell] + split.alpha);
    }

    // The products of a place with those below `width`: the row of R off the diagonal.
    void products(const Split& split, std::size_t place, std::span<const double> means,
                  std::size_t width, std::vector<double>& row) const {
        row.assign(split.cells * width, 0.0);
        if (width == 0) return;
        add_products(sets_.rooted_rows(), split.cell.data(), place, means.data(), width,
                     row.data());
        for (std::size_t cell = 0; cell < split.cells; ++cell) {
            const double factor = -shrinkage(split, cell) * means[cell];
            subtract_multiple(row.data() + cell * width, split.means.data() + cell * split.width,
                              factor, width);
        }
    }

    // A level without continuous members on this split.
    void begin(Level& level, std::size_t split_index, int continuous) {
        Split& split = splits_[split_index];
        begin_moments(split, static_cast<std::size_t>(continuous));
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
            split.discrete_value + constant(split, size) - sets_.total * level.log_deviations;
        if (size > 0) {
            for (std::size_t cell = 0; cell < split.cells; ++cell) {
                sum -= data_power(split, cell, size) * level.log_determinants[cell];
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
        finish_counts(split);
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
        products(split, place, member.means, level.width, own.row);
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
            const double shrink = shrinkage(split, cell);
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
                products(split, place, column_, place, kept);
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
        return dirichlet(histogram_, std::min(split.possible * static_cast<double>(levels),
                                              most_configurations));
    }

    // A member that is eliminated again: its mean and pivot in each cell, and its entries with the
    // members before it, divided by the roots of their pivots.
    struct Member {
        std::vector<double> means;
        std::vector<double> pivots;
        std::vector<double> with_earlier;  // [earlier][cell]
    };

    const MixedSets& sets_;
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

std::unique_ptr<SubsetWalker> MixedSets::walker() const {
    return std::make_unique<MixedWalker>(*this);
}

class ConditionalGaussianScore final : public SetFunction {
  public:
    ConditionalGaussianScore(MixedTable table, const ConditionalGaussianSettings& settings)
        : table_(std::move(table)), settings_(settings) {}

    bool intervened(int node) const override { return table_.interventions.any(node); }
    bool pushed_first(int variable) const override {
        return table_.level_counts[static_cast<std::size_t>(variable)] > 0;
    }

    std::unique_ptr<PreparedSets> prepare(std::span<const int> variables, int node) const override {
        auto sets = std::make_unique<MixedSets>();
        sets->settings = settings_;
        std::vector<std::size_t> counting;
        for (std::size_t row = 0; row < table_.rows; ++row) {
            const double weight = table_.weights.empty() ? 1.0 : table_.weights[row];
            if ((node >= 0 && table_.interventions.at(row, node)) || weight == 0.0) continue;
            counting.push_back(row);
            sets->weights.push_back(weight);
            sets->roots.push_back(std::sqrt(weight));
            sets->total += weight;
        }
        sets->rows = counting.size();
        std::vector<int> continuous;
        int discrete = 0;
        for (const int variable : variables) {
            const auto index = static_cast<std::size_t>(variable);
            const std::uint32_t levels = table_.level_counts[index];
            sets->level_counts.push_back(levels);
            sets->log_deviations.push_back(table_.log_deviations[index]);
            sets->continuous_below.push_back(static_cast<int>(continuous.size()));
            if (levels == 0) {
                sets->places.push_back(static_cast<int>(continuous.size()));
                continuous.push_back(variable);
                continue;
            }
            sets->places.push_back(discrete++);
            const auto column = table_.codes.subspan(index * table_.rows, table_.rows);
            for (const std::size_t row : counting) sets->codes.push_back(column[row]);
        }
        sets->continuous_below.push_back(static_cast<int>(continuous.size()));
        sets->rooted.resize(sets->rows * continuous.size());
        for (std::size_t place = 0; place < continuous.size(); ++place) {
            const double* column =
                table_.values.data() + static_cast<std::size_t>(continuous[place]) * table_.rows;
            for (std::size_t i = 0; i < counting.size(); ++i) {
                sets->rooted[i * continuous.size() + place] = sets->roots[i] * column[counting[i]];
            }
        }
        return sets;
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
