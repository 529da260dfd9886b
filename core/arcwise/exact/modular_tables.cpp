// Fills B by pulling from supersets, H by pushing to them, and then sums up the terms.
#include "arcwise/exact/modular_tables.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "arcwise/exact/modular_block.hpp"
#include "arcwise/exact/subsets.hpp"

namespace arcwise {
namespace {

// The blocks of one level are dealt out to this number of tasks, which keep their memory from block
// to block.
constexpr std::size_t most_tasks = 64;

// Mantissas of B below this count as zero.
constexpr double lowest_mantissa = 0x1p-500;

std::uint64_t power_of_three(int n) {
    std::uint64_t result = 1;
    while (n-- > 0) result *= 3;
    return result;
}

std::vector<std::vector<std::uint32_t>> by_size(std::uint32_t sets) {
    std::vector<std::vector<std::uint32_t>> result(static_cast<std::size_t>(std::bit_width(sets)));
    for (std::uint32_t set = 0; set < sets; ++set) {
        result[static_cast<std::size_t>(std::popcount(set))].push_back(set);
    }
    return result;
}

// How many classes push to each class of a level, and in how many groups.
std::size_t sources_of(const std::vector<std::uint32_t>& level) {
    return (std::size_t{1} << std::popcount(level.front())) - 1;
}

std::size_t groups_of(const std::vector<std::uint32_t>& level) {
    return std::clamp<std::size_t>(most_tasks / level.size(), 1,
                                   std::max<std::size_t>(1, sources_of(level)));
}

}  // namespace

std::vector<std::int32_t> scales_of(const std::vector<double>& log_weights) {
    std::vector<std::int32_t> result(log_weights.size(), impossible_scale);
    for (std::size_t set = 0; set < log_weights.size(); ++set) {
        if (std::isinf(log_weights[set])) continue;
        result[set] =
            static_cast<std::int32_t>(std::lround(log_weights[set] * std::numbers::log2e));
    }
    return result;
}

template <class Real>
ModularTables<Real>::ModularTables(const ScaledSums& sums, const std::vector<std::int32_t>& scales)
    : sums_(sums),
      scales_(scales),
      parts_(sums.nodes()),
      everything_(static_cast<std::uint32_t>(scales.size() - 1)) {}

template <class Real>
std::uint64_t ModularTables<Real>::bytes(int nodes, int threads) {
    const std::uint64_t sets = std::uint64_t{1} << nodes;
    const SetParts parts(nodes);
    const std::uint64_t block =
        std::uint64_t{parts.low_sets()} * std::max<std::uint64_t>(lanes, parts.middle_sets());
    // H, B and scales; shares; what is on its way to H; and for each thread the rows of a block.
    std::uint64_t on_the_way = 0;
    for (const std::vector<std::uint32_t>& level : by_size(parts.top_sets())) {
        on_the_way = std::max<std::uint64_t>(on_the_way, level.size() * (groups_of(level) - 1));
    }
    return on_the_way * (sizeof(Real) << (parts.low + parts.middle)) +
           sets * (2 * sizeof(Real) + sizeof(std::int32_t)) +
           sets / 2 * static_cast<std::uint64_t>(nodes) * sizeof(double) +
           static_cast<std::uint64_t>(threads) * block * (2 * sizeof(Real) + sizeof(std::int32_t));
}

template <class Real>
std::uint64_t ModularTables<Real>::terms(int nodes) {
    return power_of_three(nodes);
}

template <class Real>
void ModularTables<Real>::fill(const RunOptions& options) {
    Phases phases(options, 3);
    phases.run(1, [&](const RunOptions& part) { fill_weight_beyond(part); });
    phases.run(1, [&](const RunOptions& part) { fill_weight_on(part); });
    phases.run(1, [&](const RunOptions& part) { fill_terms(part); });
}

template <class Real>
void ModularTables<Real>::fill_weight_beyond(const RunOptions& options) {
    weight_beyond_.assign(scales_.size(), Real{0});
    const std::uint32_t middle_mask = parts_.middle_sets() - 1;
    const auto levels = by_size(parts_.top_sets() << parts_.middle);
    Phases phases(options, power_of_three(parts_.middle + parts_.top));
    for (std::size_t i = levels.size(); i-- > 0;) {
        const std::vector<std::uint32_t>& level = levels[i];
        const std::size_t outside = levels.size() - 1 - i;
        const std::size_t pieces = std::min(most_tasks, level.size());
        phases.run(level.size() << outside, [&](const RunOptions& part) {
            run_tasks(pieces, level.size(), part, [&](std::size_t piece, TaskContext& context) {
                ModularBlock<Real> block(sums_, scales_, parts_);
                std::vector<Real> sums(parts_.low_sets());
                for (std::size_t j = piece; j < level.size(); j += pieces) {
                    block.enter(level[j] >> parts_.middle, level[j] & middle_mask);
                    pull(block, sums);
                    context.advance(1);
                }
            });
        });
    }
}

// B of the sets of one block. The empty T among the top nodes comes last: then B(U + T) is within
// the block itself if T has no middle nodes, and known as U goes from the largest set down.
template <class Real>
void ModularTables<Real>::pull(ModularBlock<Real>& block, std::vector<Real>& sums) {
    std::fill(sums.begin(), sums.end(), Real{0});
    std::uint32_t added_top = block.free_top();
    while (true) {
        block.read_scales(added_top);
        block.read_values(weight_beyond_, added_top);
        for (std::uint32_t low = parts_.low_sets(); low-- > 0;) {
            const Products<Real> products = block.products(low, added_top);
            if (products.count == 0) continue;
            const auto rows = block.rows(low);
            sums[low] += sum_rows(products, rows.data(), rows.size(), block.values(0),
                                  block.scales(0), block.stride());
            if (added_top != 0) continue;
            const std::uint32_t set = block.base() | low;
            const Real sum = set == everything_ ? Real{1} : -sums[low];
            const Real value = sum < Real{lowest_mantissa} ? Real{0} : sum;
            weight_beyond_[set] = value;
            block.values(low)[0] = value;
        }
        if (added_top == 0) return;
        added_top = (added_top - 1) & block.free_top();
    }
}

// Pushes H of one class of sets to another, block by block.
template <class Real>
class ModularTables<Real>::Pushing {
  public:
    explicit Pushing(const ModularTables& tables)
        : tables_(tables),
          parts_(tables.parts_),
          block_(tables.sums_, tables.scales_, tables.parts_),
          pushed_(std::size_t{parts_.low_sets()} *
                  std::max<std::size_t>(lanes, parts_.middle_sets())) {}

    // From the sets with the top nodes `source`, which are complete, to those with the top nodes
    // `top`, whose numbers are at `to`; or within a class, whose sets get complete on the way.
    void push(std::uint32_t source, std::uint32_t top, Real* to, TaskContext& context) {
        const std::uint32_t added_top = (top & ~source) << (parts_.low + parts_.middle);
        for (std::uint32_t middle = 0; middle < parts_.middle_sets(); ++middle) {
            context.advance(1);
            block_.enter(source, middle);
            push_block(added_top, to);
        }
    }

  private:
    void push_block(std::uint32_t added_top, Real* to) {
        bool empty = true;
        for (std::uint32_t low = 0; low < parts_.low_sets(); ++low) {
            const std::uint32_t set = block_.base() | low;
            Real* const own = pushed_.data() + low * block_.stride();
            Real weight = tables_.weight_on_[set];
            if (!empty && added_top == 0) weight += own[0];
            if (tables_.is_negligible(set, weight)) continue;
            const Products<Real> products = block_.products(low, added_top);
            if (products.count == 0) continue;
            if (empty) {
                empty = false;
                block_.read_scales(added_top);
                std::fill_n(pushed_.begin(), parts_.low_sets() * block_.stride(), Real{0});
            }
            const Real before = own[0];
            const auto rows = block_.rows(low);
            push_rows(products, rows.data(), rows.size(), -weight, block_.scales(0),
                      block_.stride(), pushed_.data());
            if (added_top == 0) own[0] = before;  // the empty T is no term
        }
        if (!empty) block_.add_rows(pushed_, to);
    }

    const ModularTables& tables_;
    const SetParts& parts_;
    ModularBlock<Real> block_;
    std::vector<Real> pushed_;
};

// H, by classes of sets with the same top nodes. What the classes of fewer top nodes push to one is
// added up in groups of them, which do not wait for each other; the first group adds to H itself.
// How many groups there are depends on the classes alone, so that sums are the same on any number
// of threads. Then each class pushes within itself: in rising order, each of its sets is complete
// when its turn comes.
template <class Real>
void ModularTables<Real>::fill_weight_on(const RunOptions& options) {
    weight_on_.assign(scales_.size(), Real{0});
    weight_on_[0] = Real{1};
    Phases phases(options, power_of_three(parts_.top));
    for (const std::vector<std::uint32_t>& level : by_size(parts_.top_sets())) {
        const std::size_t sources = sources_of(level);
        const std::size_t groups = groups_of(level);
        std::vector<std::vector<Real>> on_the_way(level.size() * (groups - 1));
        phases.run(level.size() * sources, [&](const RunOptions& part) {
            const std::uint64_t work = level.size() * sources * parts_.middle_sets();
            run_tasks(level.size() * groups, work, part, [&](std::size_t i, TaskContext& context) {
                const std::size_t group = i / level.size();
                const std::uint32_t top = level[i % level.size()];
                Real* to = class_of(top);
                if (group > 0) {
                    on_the_way[i - level.size()].assign(sets_of_class(), Real{0});
                    to = on_the_way[i - level.size()].data();
                }
                Pushing pushing(*this);
                std::uint32_t source = 0;
                for (std::size_t j = 0; j < sources; ++j, source = next_subset(source, top)) {
                    if (j % groups == group) pushing.push(source, top, to, context);
                }
            });
        });
        phases.run(level.size(), [&](const RunOptions& part) {
            const std::uint64_t work = level.size() * parts_.middle_sets();
            run_tasks(level.size(), work, part, [&](std::size_t i, TaskContext& context) {
                Real* const own = class_of(level[i]);
                for (std::size_t group = 1; group < groups; ++group) {
                    const std::vector<Real>& pushed = on_the_way[(group - 1) * level.size() + i];
                    for (std::size_t set = 0; set < pushed.size(); ++set) own[set] += pushed[set];
                }
                Pushing(*this).push(level[i], level[i], own, context);
            });
        });
    }
}

template <class Real>
double ModularTables<Real>::log_total() const {
    return static_cast<double>(std::log(weight_on_[everything_])) +
           scales_[everything_] * std::numbers::ln2;
}

// Both directions must give Z. Each term carries about one rounding for each factor and for each of
// the sums it is part of; those of one set are taken to be alike, those of different sets to be
// independent. The score sums are doubles, whatever the other digits.
template <class Real>
double ModularTables<Real>::relative_error(double squares) const {
    const Real on = weight_on_[everything_];
    const Real beyond = weight_beyond_[0];
    if (!(on > Real{0}) || !(beyond > Real{0})) return 1.0;
    const double terms = static_cast<double>(std::numeric_limits<Real>::epsilon()) * (nodes() + 4) *
                         std::sqrt(squares);
    const auto directions = static_cast<double>(std::abs(beyond / on - Real{1}));
    return std::max(terms, directions) + rounding_of_logs(nodes(), log_total());
}

template class ModularTables<double>;
template class ModularTables<long double>;

}  // namespace arcwise
