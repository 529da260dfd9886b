// Adds up the terms t(U, T) of the modular dynamic program: shares, pairs for paths, rounding.
#include <algorithm>
#include <bit>

#include "arcwise/exact/modular_block.hpp"
#include "arcwise/exact/modular_tables.hpp"
#include "arcwise/exact/subsets.hpp"

namespace arcwise {
namespace {

// Blocks are dealt out by as many of their lowest bits; fixed, so that sums are the same on any
// number of threads.
constexpr int task_bits = 8;

// Calls visit(node) for the nodes of a set.
template <class Visit>
void for_nodes(std::uint32_t set, Visit visit) {
    for (; set != 0; set &= set - 1) visit(std::countr_zero(set));
}

}  // namespace

// The terms of one block after the other.
template <class Real>
class ModularTables<Real>::Terms {
  public:
    explicit Terms(const ModularTables& tables)
        : pairs(static_cast<std::size_t>(tables.nodes() * tables.nodes()), 0.0),
          tables_(tables),
          low_sets_(tables.parts_.low_sets()),
          block_(tables.sums_, tables.scales_, tables.parts_),
          over_low_(std::max<std::size_t>(lanes, tables.parts_.middle_sets())),
          over_sets_(over_low_.size() * low_sets_),
          shares_(static_cast<std::size_t>(tables.nodes()) * low_sets_),
          by_row_(low_sets_),
          absolutes_(low_sets_ * lanes) {}

    void add(std::uint32_t top, std::uint32_t middle, std::vector<std::vector<double>>& shares) {
        block_.enter(top, middle);
        bool any = false;
        for (std::uint32_t low = 0; low < low_sets_; ++low) {
            const std::uint32_t set = block_.base() | low;
            any = any || !tables_.is_negligible(set, tables_.weight_on_[set]);
        }
        if (!any) return;
        std::fill(shares_.begin(), shares_.end(), Real{0});
        std::fill(absolutes_.begin(), absolutes_.end(), Real{0});
        std::uint32_t added_top = 0;
        do {
            add_part(added_top);
            added_top = next_subset(added_top, block_.free_top());
        } while (added_top != 0);
        for (std::uint32_t low = 0; low < low_sets_; ++low) {
            const std::uint32_t set = block_.base() | low;
            for_nodes(tables_.everything_ & ~set, [&](int v) {
                shares[static_cast<std::size_t>(v)][place_without(v, set)] =
                    static_cast<double>(share(v, low));
            });
            const auto absolute =
                static_cast<double>(spend_sum(absolutes_.data() + low * lanes, lanes));
            squares += absolute * absolute;
        }
    }

    // Sums of t over T with both u and v, at [u * n + v] for u < v; and of the squares of what is
    // lost at each U.
    std::vector<double> pairs;
    double squares = 0.0;

  private:
    Real& share(int v, std::uint32_t low) {
        return shares_[static_cast<std::size_t>(v) * low_sets_ + low];
    }

    // The terms with these top nodes in T.
    void add_part(std::uint32_t added_top) {
        block_.read_scales(added_top);
        block_.read_values(tables_.weight_beyond_, added_top);
        std::fill_n(over_sets_.begin(), block_.stride() * low_sets_, Real{0});
        for (std::uint32_t low = 0; low < low_sets_; ++low) {
            const std::uint32_t set = block_.base() | low;
            if (tables_.is_negligible(set, tables_.weight_on_[set])) continue;
            const Products<Real> products = block_.products(low, added_top);
            if (products.count == 0) continue;
            // The empty T is no term.
            const Real own = block_.values(low)[0];
            if (added_top == 0) block_.values(low)[0] = Real{0};
            add_set(low, added_top, products);
            block_.values(low)[0] = own;
        }
        add_pairs(added_top);
    }

    void add_set(std::uint32_t low, std::uint32_t added_top, const Products<Real>& products) {
        const Real reach =
            -tables_.weight_on_[block_.base() | low] / tables_.weight_on_[tables_.everything_];
        const auto rows = block_.rows(low);
        std::fill_n(over_low_.begin(), block_.stride(), Real{0});
        add_terms(
            products, rows.data(), rows.size(), reach, block_.values(0), block_.scales(0),
            block_.stride(),
            {over_sets_.data(), over_low_.data(), by_row_.data(), absolutes_.data() + low * lanes});
        // Rows come by the bits of T among the low nodes outside U.
        std::uint32_t free = (low_sets_ - 1) & ~low;
        fold_places(by_row_.data(), std::countr_zero(rows.size()),
                    [&](int, Real* with_it, std::size_t size) {
                        const int v = static_cast<int>(std::bit_width(free)) - 1;
                        free ^= std::uint32_t{1} << v;
                        share(v, low) += spend_sum(with_it, size);
                    });
        const Real all = fold_places(over_low_.data(), block_.middle_places(),
                                     [&](int place, Real* with_it, std::size_t size) {
                                         share(block_.middle_node(place), low) +=
                                             spend_sum(with_it, size);
                                     });
        for_nodes(added_top, [&](int v) { share(v, low) += all; });
    }

    // The members of T by their bits in `over_sets_`: free middle nodes, then low ones.
    void add_pairs(std::uint32_t added_top) {
        const int middle = block_.middle_places();
        const std::size_t sets = std::size_t{1} << middle;
        if (sets < block_.stride()) {
            for (std::size_t row = 1; row < low_sets_; ++row) {
                std::copy_n(over_sets_.begin() + static_cast<std::ptrdiff_t>(row * block_.stride()),
                            sets, over_sets_.begin() + static_cast<std::ptrdiff_t>(row * sets));
            }
        }
        const auto node_at = [&](int place) {
            return place < middle ? block_.middle_node(place) : place - middle;
        };
        const auto fold = [&](Real* values, int places, auto use) {
            return fold_places(values, places, use);
        };
        const Real all = fold(over_sets_.data(), middle + tables_.parts_.low,
                              [&](int place, Real* with_it, std::size_t) {
                                  const int v = node_at(place);
                                  const Real sum = fold(
                                      with_it, place, [&](int other, Real* both, std::size_t size) {
                                          add_pair(node_at(other), v, spend_sum(both, size));
                                      });
                                  for_nodes(added_top, [&](int u) { add_pair(u, v, sum); });
                              });
        for_nodes(added_top, [&](int u) {
            for_nodes(added_top & ((std::uint32_t{1} << u) - 1),
                      [&](int v) { add_pair(u, v, all); });
        });
    }

    void add_pair(int u, int v, Real sum) {
        pairs[static_cast<std::size_t>(std::min(u, v) * tables_.nodes() + std::max(u, v))] +=
            static_cast<double>(sum);
    }

    const ModularTables& tables_;
    std::uint32_t low_sets_;
    ModularBlock<Real> block_;
    std::vector<Real> over_low_;   // by T among the middle nodes
    std::vector<Real> over_sets_;  // by T among the low and middle nodes
    std::vector<Real> shares_;     // by node and low nodes of U
    std::vector<Real> by_row_;     // by T among the low nodes outside U
    std::vector<Real> absolutes_;  // by low nodes of U, each in lanes
};

template <class Real>
void ModularTables<Real>::fill_terms(const RunOptions& options) {
    const auto n = static_cast<std::size_t>(nodes());
    shares_.assign(n, std::vector<double>(sums_.size(), 0.0));
    const int bits = parts_.middle + parts_.top;
    const int low = std::min(bits, task_bits);
    const std::size_t tasks = std::size_t{1} << low;
    std::vector<std::vector<double>> pairs(tasks);
    std::vector<double> squares(tasks);
    std::uint64_t work = 1;
    for (int i = 0; i < bits; ++i) work *= 3;
    run_tasks(tasks, work, options, [&](std::size_t task, TaskContext& context) {
        Terms terms(*this);
        for (std::uint32_t high = 0; high < std::uint32_t{1} << (bits - low); ++high) {
            const std::uint32_t set = high << low | static_cast<std::uint32_t>(task);
            terms.add(set >> parts_.middle, set & (parts_.middle_sets() - 1), shares_);
            context.advance(std::uint64_t{1} << (bits - std::popcount(set)));
        }
        pairs[task] = std::move(terms.pairs);
        squares[task] = terms.squares;
    });
    std::vector<double> all_pairs(n * n, 0.0);
    double all_squares = 0.0;
    for (std::size_t task = 0; task < tasks; ++task) {
        for (std::size_t i = 0; i < n * n; ++i) all_pairs[i] += pairs[task][i];
        all_squares += squares[task];
    }
    fill_paths(all_pairs);
    error_ = relative_error(all_squares);
}

// A path leads from u to v if u is among the ancestors of v, U + T: in U, or in T with v.
template <class Real>
void ModularTables<Real>::fill_paths(const std::vector<double>& pairs) {
    const auto n = static_cast<std::size_t>(nodes());
    paths_.assign(n * n, 0.0);
    std::vector<double> share;
    for (std::size_t v = 0; v < n; ++v) {
        share = shares_[v];
        const double all = fold_places(
            share.data(), nodes() - 1, [&](int place, double* with_it, std::size_t size) {
                const std::size_t u = static_cast<std::size_t>(place) +
                                      (static_cast<std::size_t>(place) >= v ? 1 : 0);
                paths_[u * n + v] =
                    pairs[std::min(u, v) * n + std::max(u, v)] + spend_sum(with_it, size);
            });
        paths_[v * n + v] = all;
    }
}

template void ModularTables<double>::fill_terms(const RunOptions&);
template void ModularTables<double>::fill_paths(const std::vector<double>&);
template void ModularTables<long double>::fill_terms(const RunOptions&);
template void ModularTables<long double>::fill_paths(const std::vector<double>&);

}  // namespace arcwise
