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
#include <cstddef>
#include <numbers>
#include <utility>

#include "arcwise/numerics/lanes.hpp"
#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/scores/discrete.hpp"

namespace arcwise {

namespace {

// These are the inner loops, over cells (configurations of the discrete variables) and continuous
// variables side by side. Arrays by cell and variable hold the variables of a cell next to each
// other: entry [cell * width + variable].

// Rows of rooted values: each row's values times the root of its weight, row after row.
struct RootedRows {
    const double* values = nullptr;  // rows x stride
    const double* roots = nullptr;   // of the weights
    std::size_t rows = 0;
    std::size_t stride = 0;
};

// sums[cell][i] += weighted values of the first `width` variables.
ARCWISE_VECTOR_VERSIONS
void add_sums(const RootedRows& rows, const std::uint32_t* cell, std::size_t width, double* sums) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const double* __restrict values = rows.values + row * rows.stride;
        double* __restrict to = sums + cell[row] * width;
        const double root = rows.roots[row];
        for (std::size_t i = 0; i < width; ++i) to[i] += root * values[i];
    }
}

// squares[cell][i] += weighted squares about the means of the cell.
ARCWISE_VECTOR_VERSIONS
void add_squares(const RootedRows& rows, const std::uint32_t* cell, const double* means,
                 std::size_t width, double* squares) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const double* __restrict values = rows.values + row * rows.stride;
        const double* __restrict mean = means + cell[row] * width;
        double* __restrict to = squares + cell[row] * width;
        const double root = rows.roots[row];
        for (std::size_t i = 0; i < width; ++i) {
            const double from_mean = values[i] - root * mean[i];
            to[i] += from_mean * from_mean;
        }
    }
}

// products[cell][i] += weighted products of `variable`, measured from its mean in the cell, with
// the first `width` variables.
ARCWISE_VECTOR_VERSIONS
void add_products(const RootedRows& rows, const std::uint32_t* cell, std::size_t variable,
                  const double* means_of_variable, std::size_t width, double* products) {
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const double* __restrict values = rows.values + row * rows.stride;
        double* __restrict to = products + cell[row] * width;
        const double own = values[variable] - rows.roots[row] * means_of_variable[cell[row]];
        for (std::size_t i = 0; i < width; ++i) to[i] += own * values[i];
    }
}

// to[i] -= factor * from[i].
ARCWISE_VECTOR_VERSIONS
void subtract_multiple(double* __restrict to, const double* __restrict from, double factor,
                       std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] -= factor * from[i];
}

// row[i] *= factor, and then diagonal[i] -= row[i] squared.
ARCWISE_VECTOR_VERSIONS
void scale_and_eliminate(double* __restrict row, double* __restrict diagonal, double factor,
                         std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        row[i] *= factor;
        diagonal[i] -= row[i] * row[i];
    }
}

// to[i] += weight * ln(max(from[i], least)), `least` a normal number above zero.
ARCWISE_VECTOR_VERSIONS
void add_weighted_logarithms(double* __restrict to, const double* __restrict from, double weight,
                             double least, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const double bounded = from[i] > least ? from[i] : least;
        to[i] += weight * log_kernel(bounded, 0.0);
    }
}

// Beyond this number of configurations the imaginary rows of each would be too few for a double.
constexpr double most_configurations = 1e100;

// The rows that count for a node, reduced to some variables, which are known by their positions.
struct MixedRows {
    MixedRows(const MixedTable& table, const ConditionalGaussianSettings& of_prior,
              std::span<const int> variables, int node);

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

    // ln of the probability of the counts of cells, all of which have the same pseudo-count.
    double dirichlet(std::span<const double> counts, double possible) const;
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

    // What follows from the cells alone, once `cell`, `cells` and `possible` are set.
    void finish_counts(const MixedRows& data);

    // Means and the diagonal of R for the continuous places below a width.
    void begin_moments(const MixedRows& data, std::size_t places);

    // The sum over cells of all terms of M_d(C), |C| = size, but the one with R.
    double constant(const MixedRows& data, std::size_t size);

    // The products of a place, which has these means, with those below a width: the row of R off
    // the diagonal.
    void products(const MixedRows& data, std::size_t place, std::span<const double> means_of_place,
                  std::size_t places, std::vector<double>& row) const;

    // What ln |R| is multiplied by in a cell.
    double data_power(std::size_t in_cell, std::size_t size) const {
        return 0.5 * (counts[in_cell] + degrees + static_cast<double>(size) - 1.0);
    }

    // What products of means are multiplied by in R.
    double shrinkage(std::size_t in_cell) const {
        return counts[in_cell] * alpha / (counts[in_cell] + alpha);
    }
};

MixedRows::MixedRows(const MixedTable& table, const ConditionalGaussianSettings& of_prior,
                     std::span<const int> variables, int node)
    : settings(of_prior) {
    std::vector<std::size_t> counting;
    for (std::size_t row = 0; row < table.rows; ++row) {
        const double weight = table.weights.empty() ? 1.0 : table.weights[row];
        if ((node >= 0 && table.interventions.at(row, node)) || weight == 0.0) continue;
        counting.push_back(row);
        weights.push_back(weight);
        roots.push_back(std::sqrt(weight));
        total += weight;
    }
    rows = counting.size();
    std::vector<int> continuous;
    int discrete = 0;
    for (const int variable : variables) {
        const auto index = static_cast<std::size_t>(variable);
        const std::uint32_t levels = table.level_counts[index];
        level_counts.push_back(levels);
        log_deviations.push_back(table.log_deviations[index]);
        continuous_below.push_back(static_cast<int>(continuous.size()));
        if (levels == 0) {
            places.push_back(static_cast<int>(continuous.size()));
            continuous.push_back(variable);
            continue;
        }
        places.push_back(discrete++);
        const auto column = table.codes.subspan(index * table.rows, table.rows);
        for (const std::size_t row : counting) codes.push_back(column[row]);
    }
    continuous_below.push_back(static_cast<int>(continuous.size()));
    rooted.resize(rows * continuous.size());
    for (std::size_t place = 0; place < continuous.size(); ++place) {
        const double* column =
            table.values.data() + static_cast<std::size_t>(continuous[place]) * table.rows;
        for (std::size_t i = 0; i < counting.size(); ++i) {
            rooted[i * continuous.size() + place] = roots[i] * column[counting[i]];
        }
    }
}

double MixedRows::dirichlet(std::span<const double> counts, double possible) const {
    const double pseudo_count = settings.equivalent_sample_size / possible;
    const double of_none = log_gamma(pseudo_count);
    double sum = 0.0;
    for (const double count : counts) {
        if (count > 0.0) sum += log_gamma(pseudo_count + count) - of_none;
    }
    return sum;
}

void Split::finish_counts(const MixedRows& data) {
    const ConditionalGaussianSettings& settings = data.settings;
    counts.assign(cells, 0.0);
    for (std::size_t row = 0; row < data.rows; ++row) {
        counts[cell[row]] += data.weights[row];
    }
    alpha = settings.alpha_mu / possible;
    degrees = settings.degrees / possible;
    scale = settings.scale / possible;
    constants.assign(1, 0.0);
    discrete_value = data.dirichlet(counts, possible);
}

void Split::begin_moments(const MixedRows& data, std::size_t places) {
    width = places;
    means.assign(cells * width, 0.0);
    diagonal.assign(cells * width, 0.0);
    rows.resize(static_cast<std::size_t>(data.continuous_below.back()));
    for (std::vector<double>& row : rows) row.clear();
    if (width == 0) return;
    const RootedRows rooted = data.rooted_rows();
    add_sums(rooted, cell.data(), width, means.data());
    for (std::size_t here = 0; here < cells; ++here) {
        for (std::size_t i = 0; i < width; ++i) {
            means[here * width + i] /= counts[here];
        }
    }
    add_squares(rooted, cell.data(), means.data(), width, diagonal.data());
    for (std::size_t here = 0; here < cells; ++here) {
        const double shrink = shrinkage(here);
        for (std::size_t i = 0; i < width; ++i) {
            const double mean = means[here * width + i];
            diagonal[here * width + i] += shrink * mean * mean + scale;
        }
    }
}

double Split::constant(const MixedRows& data, std::size_t size) {
    while (constants.size() <= size) {
        const auto l = static_cast<double>(constants.size());
        // What a set of l has more than one of l - 1.
        double sum = -0.5 * data.total * std::log(std::numbers::pi);
        const double prior_power = 0.5 * (degrees + l - 1.0);
        const double of_none = log_gamma(prior_power);
        const double log_scale = std::log(scale);
        const double of_scale =
            (prior_power * l - 0.5 * (degrees + l - 2.0) * (l - 1.0)) * log_scale;
        for (const double count : counts) {
            sum += 0.5 * std::log(alpha / (count + alpha)) + log_gamma(prior_power + 0.5 * count) -
                   of_none + of_scale;
        }
        constants.push_back(constants.back() + sum);
    }
    return constants[size];
}

void Split::products(const MixedRows& data, std::size_t place,
                     std::span<const double> means_of_place, std::size_t places,
                     std::vector<double>& row) const {
    row.assign(cells * places, 0.0);
    if (places == 0) return;
    add_products(data.rooted_rows(), cell.data(), place, means_of_place.data(), places, row.data());
    for (std::size_t here = 0; here < cells; ++here) {
        const double factor = -shrinkage(here) * means_of_place[here];
        subtract_multiple(row.data() + here * places, means.data() + here * width, factor, places);
    }
}

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
