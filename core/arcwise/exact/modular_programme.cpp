// Fills H by pushing from each set to its supersets, B by pulling from them.
#include "arcwise/exact/modular_programme.hpp"

#include <limits>
#include <numbers>

#include "arcwise/exact/subset_folds.hpp"
#include "arcwise/exact/subset_programme.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Sets without a DAG of positive weight: so large that whatever is scaled to it vanishes.
constexpr std::int32_t impossible = 1 << 28;

// Targets of H are split by their highest variables; classes with as many of them run in parallel.
constexpr int class_bits = 4;

std::vector<std::int32_t> binary_exponents(const std::vector<double>& logs) {
    std::vector<std::int32_t> result(logs.size(), impossible);
    for (std::size_t set = 0; set < logs.size(); ++set) {
        if (std::isinf(logs[set])) continue;
        result[set] = static_cast<std::int32_t>(std::lround(logs[set] * std::numbers::log2e));
    }
    return result;
}

std::uint64_t power_of_three(int n) {
    std::uint64_t result = 1;
    while (n-- > 0) result *= 3;
    return result;
}

}  // namespace

template <class Real>
ModularProgramme<Real>::ModularProgramme(const FamilyTable& weights)
    : sums_((weights.size() > most_nodes
                 ? throw Error(ErrorKind::capacity,
                               "The modular programme takes at most 25 variables; use the "
                               "order-modular target or a sampler.")
                 : weights),
            static_cast<int>(weights.size())),
      everything_(static_cast<std::uint32_t>((std::uint64_t{1} << weights.size()) - 1)) {}

template <class Real>
std::uint64_t ModularProgramme<Real>::bytes(int nodes) {
    const std::uint64_t sets = std::uint64_t{1} << nodes;
    const auto n = static_cast<std::uint64_t>(nodes);
    return sets / 2 * n * (sizeof(double) * 2 + sizeof(std::int32_t)) +
           sets * 2 * (sizeof(Real) + sizeof(std::int32_t) + sizeof(double));
}

template <class Real>
std::uint64_t ModularProgramme<Real>::work(int nodes) {
    return 2 * power_of_three(nodes) + (std::uint64_t{8} << nodes);
}

template <class Real>
void ModularProgramme<Real>::run(bool with_shares, const RunOptions& options) {
    Phases phases(options, work(nodes()));
    const std::uint64_t small = std::uint64_t{4} << nodes();
    phases.run(small, [&](const RunOptions& part) { fill_exponents(part); });
    phases.run(small, [&](const RunOptions& part) { fill_sums(part); });
    const std::uint64_t pass = power_of_three(nodes());
    phases.run(pass, [&](const RunOptions& part) { fill_weight_on(part); });
    phases.run(pass, [&](const RunOptions& part) { fill_weight_beyond(with_shares, part); });
}

template <class Real>
void ModularProgramme<Real>::fill_exponents(const RunOptions& options) {
    Phases phases(options, 2);
    phases.run(1, [&](const RunOptions& part) {
        exponent_on_ = binary_exponents(forward_programme(sums_, Semiring::maximum, part));
    });
    if (exponent_on_.back() == impossible) refuse_impossible();
    phases.run(1, [&](const RunOptions& part) {
        exponent_beyond_ = binary_exponents(backward_programme(sums_, Semiring::maximum, part));
    });
}

template <class Real>
void ModularProgramme<Real>::fill_sums(const RunOptions& options) {
    const auto n = static_cast<std::size_t>(nodes());
    sum_mantissa_.resize(n);
    sum_exponent_.resize(n);
    run_tasks(n, n, options, [&](std::size_t v, TaskContext& context) {
        const int node = static_cast<int>(v);
        std::vector<double>& mantissa = sum_mantissa_[v];
        std::vector<std::int32_t>& exponent = sum_exponent_[v];
        mantissa.resize(sums_.block_size(node));
        exponent.resize(mantissa.size());
        sums_.log_sums(node, 0, mantissa.data());
        for (std::size_t i = 0; i < mantissa.size(); ++i) {
            if (std::isinf(mantissa[i])) {
                mantissa[i] = 0.0;
                exponent[i] = 0;
                continue;
            }
            const double whole = std::floor(mantissa[i] * std::numbers::log2e);
            exponent[i] = static_cast<std::int32_t>(whole);
            mantissa[i] = std::exp(mantissa[i] - whole * std::numbers::ln2);
        }
        context.advance(1);
    });
}

template <class Real>
void ModularProgramme<Real>::multiply_out(std::uint32_t set, std::uint32_t free, Real mantissa,
                                          std::int32_t exponent, Products& out) const {
    const std::size_t size = std::size_t{1} << std::popcount(free);
    if (out.mantissa.size() < size) {
        out.mantissa.resize(size);
        out.exponent.resize(size);
    }
    Real* const mantissas = out.mantissa.data();
    std::int32_t* const exponents = out.exponent.data();
    mantissas[0] = mantissa;
    exponents[0] = exponent;
    std::size_t filled = 1;
    for (std::uint32_t left = free; left != 0; left &= left - 1) {
        const int v = std::countr_zero(left);
        const Real factor = -static_cast<Real>(sum_mantissa(v, set));
        const std::int32_t shift = sum_exponent(v, set);
        for (std::size_t i = 0; i < filled; ++i) {
            mantissas[filled + i] = mantissas[i] * factor;
            exponents[filled + i] = exponents[i] + shift;
        }
        filled *= 2;
    }
}

// Adds what H(set) gives to all H(set + top_added + T), T outside the set among the low variables.
template <class Real>
void ModularProgramme<Real>::push(std::uint32_t set, std::uint32_t top_added,
                                  std::uint32_t low_mask, Products& products) {
    Real mantissa = -weight_on_[set];
    if (mantissa == Real{0} || exponent_on_[set] == impossible) return;
    std::int32_t exponent = exponent_on_[set];
    for (std::uint32_t left = top_added; left != 0; left &= left - 1) {
        const int v = std::countr_zero(left);
        mantissa *= -static_cast<Real>(sum_mantissa(v, set));
        exponent += sum_exponent(v, set);
    }
    if (mantissa == Real{0}) return;
    const std::uint32_t free = low_mask & ~set;
    multiply_out(set, free, mantissa, exponent, products);
    const std::size_t size = std::size_t{1} << std::popcount(free);
    const std::uint32_t base = set | top_added;
    Real* const weight = weight_on_.data();
    // The empty T is a term of its own only if top variables were added.
    std::size_t i = top_added == 0 ? 1 : 0;
    std::uint32_t added = top_added == 0 ? free & (~free + 1) : 0;
    for (; i < size; ++i) {
        const std::uint32_t target = base | added;
        weight[target] +=
            times_power_of_two(products.mantissa[i], products.exponent[i] - exponent_on_[target]);
        added = (added - free) & free;  // the next subset of `free`
    }
}

template <class Real>
void ModularProgramme<Real>::fill_weight_on(const RunOptions& options) {
    const int top = nodes() > 2 * class_bits ? class_bits : 0;
    const int low = nodes() - top;
    const std::uint32_t low_mask = (std::uint32_t{1} << low) - 1;
    weight_on_.assign(std::size_t{1} << nodes(), Real{0});
    weight_on_[0] = Real{1};

    std::vector<std::vector<std::uint32_t>> levels(static_cast<std::size_t>(top) + 1);
    for (std::uint32_t s = 0; s < std::uint32_t{1} << top; ++s) {
        levels[static_cast<std::size_t>(std::popcount(s))].push_back(s);
    }
    Phases phases(options, power_of_three(nodes()));
    for (const auto& level : levels) {
        // A class with k top variables takes pushes from 2^k classes, 3^low each.
        const std::uint64_t sources = std::uint64_t{1} << std::popcount(level.front());
        const std::uint64_t work = level.size() * sources * (std::uint64_t{1} << low);
        phases.run(level.size() * sources * power_of_three(low), [&](const RunOptions& part) {
            run_tasks(level.size(), work, part, [&](std::size_t task, TaskContext& context) {
                Products products;
                const std::uint32_t target = level[task];
                // Every source but the class itself is complete; the class itself comes last, and
                // in rising order each of its sets is complete when its turn comes.
                std::uint32_t source = 0;
                while (true) {
                    for (std::uint32_t set = 0; set <= low_mask; ++set) {
                        push((source << low) | set, (target & ~source) << low, low_mask, products);
                        context.advance(1);
                    }
                    if (source == target) break;
                    source = (source - target) & target;
                }
            });
        });
    }
}

template <class Real>
void ModularProgramme<Real>::expand(std::uint32_t set, Terms& out) const {
    out.sum = out.absolute = out.reach = Real{0};
    if (exponent_beyond_[set] == impossible || exponent_on_[set] == impossible) return;
    const std::uint32_t free = everything_ & ~set;
    const std::size_t size = std::size_t{1} << std::popcount(free);
    const Products& products = out.products;
    multiply_out(set, free, Real{-1}, -exponent_beyond_[set], out.products);
    if (out.values.size() < size) out.values.resize(size);
    out.values[0] = Real{0};
    Real sum{0};
    Real absolute{0};
    std::uint32_t added = free & (~free + 1);
    for (std::size_t i = 1; i < size; ++i) {
        const std::uint32_t target = set | added;
        // An impossible target has weight zero, and then its exponent must not matter.
        const Real term = times_power_of_two(products.mantissa[i] * weight_beyond_[target],
                                             products.exponent[i] + exponent_beyond_[target]);
        out.values[i] = term;
        sum += term;
        absolute += std::abs(term);
        added = (added - free) & free;
    }
    out.sum = sum;
    out.absolute = absolute;
    out.reach =
        times_power_of_two(weight_on_[set] / weight_on_[everything_],
                           exponent_on_[set] + exponent_beyond_[set] - exponent_on_[everything_]);
}

// B(set); returns by how much rounding errors of its terms are multiplied.
template <class Real>
double ModularProgramme<Real>::pull(std::uint32_t set, bool with_shares, Terms& terms) {
    expand(set, terms);
    weight_beyond_[set] = std::max(terms.sum, Real{0});
    const double influence = terms.influence();
    if (with_shares && influence >= Terms::negligible) {
        fold_nodes(terms.values.data(), everything_ & ~set,
                   [&](int v, std::uint32_t, Real* with_node, std::size_t size) {
                       share_[static_cast<std::size_t>(v)][sums_.index(v, set)] =
                           static_cast<double>(terms.reach * spend_sum(with_node, size));
                   });
    }
    return influence;
}

template <class Real>
void ModularProgramme<Real>::fill_weight_beyond(bool with_shares, const RunOptions& options) {
    const std::size_t sets = std::size_t{1} << nodes();
    weight_beyond_.assign(sets, Real{0});
    weight_beyond_[everything_] = Real{1};
    share_.clear();
    if (with_shares) {
        for (int v = 0; v < nodes(); ++v) share_.emplace_back(sums_.block_size(v), 0.0);
    }
    std::vector<std::vector<std::uint32_t>> levels(static_cast<std::size_t>(nodes()) + 1);
    for (std::uint32_t set = 0; set < sets; ++set) {
        levels[static_cast<std::size_t>(std::popcount(set))].push_back(set);
    }
    Phases phases(options, power_of_three(nodes()) - 1);  // all but the full set
    double squares = 0.0;
    for (std::size_t missing = 1; missing < levels.size(); ++missing) {
        const auto& level = levels[levels.size() - 1 - missing];
        // Pieces of about 2^14 terms; their partial sums are added in order, whoever made them.
        const std::size_t per_piece = std::max<std::size_t>(1, (std::size_t{1} << 14) >> missing);
        const std::size_t pieces = (level.size() + per_piece - 1) / per_piece;
        std::vector<double> partial(pieces, 0.0);
        phases.run(level.size() << missing, [&](const RunOptions& part) {
            run_tasks(pieces, level.size(), part, [&](std::size_t piece, TaskContext& context) {
                Terms terms;
                const std::size_t last = std::min(level.size(), (piece + 1) * per_piece);
                for (std::size_t i = piece * per_piece; i < last; ++i) {
                    const double influence = pull(level[i], with_shares, terms);
                    partial[piece] += influence * influence;
                    context.advance(1);
                }
            });
        });
        for (const double value : partial) squares += value;
    }
    // Each term carries about one rounding for each factor and for each of the sums it is part of;
    // those of one set are taken to be alike, those of different sets to be independent.
    error_ = static_cast<double>(std::numeric_limits<Real>::epsilon()) * (nodes() + 4) *
             std::sqrt(squares);
}

template <class Real>
double ModularProgramme<Real>::log_total() const {
    return static_cast<double>(std::log(weight_on_[everything_])) +
           exponent_on_[everything_] * std::numbers::ln2;
}

template class ModularProgramme<double>;
template class ModularProgramme<long double>;

}  // namespace arcwise
