// Counting component by component, and part by part where all of one part comes before the next;
// each from the end that promises to be cheaper.
#include "arcwise/linear_extensions/linear_extensions.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <tuple>

#include "arcwise/linear_extensions/components.hpp"
#include "arcwise/linear_extensions/order_volume.hpp"
#include "arcwise/linear_extensions/share_arithmetic.hpp"
#include "arcwise/numerics/special.hpp"
#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

[[noreturn]] void refuse(int size, std::size_t budget) {
    throw Error(ErrorKind::capacity,
                "Counting the linear extensions of a component of " + std::to_string(size) +
                    " nodes takes more than the budget of " + std::to_string(budget) +
                    " sets; give a larger budget or ask for an estimate.");
}

template <int Words>
struct Tables {
    Poset<Words> whole;
    Poset<Words> core;
    OrderVolume<Words, PlainShares> plain;
    OrderVolume<Words, WideShares> wide;
    OrderVolume<Words, Remainders> remainders;
};

}  // namespace

class LinearExtensions::Workspace {
  public:
    explicit Workspace(std::size_t budget) : budget_(budget) {}

    void watch(TaskContext* context) { context_ = context; }

    double log_count(const std::uint64_t* parents, int nodes) {
        double result = log_gamma(static_cast<double>(nodes) + 1.0);
        for_each_component(
            parents, nodes,
            [&](auto& tables, Direction direction, std::size_t most_sets) {
                const auto add = [&](auto& volume) {
                    volume.start(tables.core, trees_, direction, context_);
                    const auto share = volume.share(tables.core.all(), most_sets);
                    result += volume.arithmetic().log(share);
                };
                if (trees_.whole_size() <= PlainShares::most_nodes) {
                    add(tables.plain);
                } else {
                    add(tables.wide);
                }
            },
            [&](int size) { result -= log_gamma(static_cast<double>(size) + 1.0); },
            [&](Workspace& inner, const std::uint64_t* part, int size) {
                result += inner.log_count(part, size);
            });
        return std::max(result, 0.0);
    }

    Remainders::Number count_modulo(const std::uint64_t* parents, int nodes,
                                    const Remainders::Number& primes) {
        arithmetic_.set(primes, nodes);
        Remainders::Number result = Remainders::one();
        for (int v = 2; v <= nodes; ++v) result = arithmetic_.times(result, v);
        for_each_component(
            parents, nodes,
            [&](auto& tables, Direction direction, std::size_t most_sets) {
                tables.remainders.arithmetic().set(primes, trees_.whole_size());
                tables.remainders.start(tables.core, trees_, direction, context_);
                const auto share = tables.remainders.share(tables.core.all(), most_sets);
                result = arithmetic_.product(result, share);
            },
            [&](int size) {
                for (int v = 2; v <= size; ++v) result = arithmetic_.divided(result, v);
            },
            [&](Workspace& inner, const std::uint64_t* part, int size) {
                result = arithmetic_.product(result, inner.count_modulo(part, size, primes));
            });
        return result;
    }

  private:
    // The count of a DAG is n! times the product of the shares of its components. Calls
    // share(tables with the core, its direction, sets that may be remembered) for each component of
    // at least two nodes; or, where it is a series of parts whose counts multiply, divide(its size)
    // for the factorial and part(workspace, packed parents, nodes) for each part.
    template <class Share, class Divide, class Part>
    void for_each_component(const std::uint64_t* parents, int nodes, Share&& share, Divide&& divide,
                            Part&& part) {
        components_.split(parents, nodes);
        for (int c = 0; c < components_.count(); ++c) {
            const int size = components_.size(c);
            if (size == 1) continue;
            with_words_for(size, [&](auto words) {
                auto& whole = this->tables<words()>().whole;
                whole.build(components_.graph(c), Direction::forward);
                whole.find_series(series_);
                if (!series_helps()) trees_.cut(whole, HangingTrees::all_cuts);
            });
            if (!series_helps()) {
                with_words_for(trees_.size(),
                               [&](auto words) { count(this->tables<words()>(), share); });
                continue;
            }
            divide(size);
            if (!inner_) inner_ = std::make_unique<Workspace>(budget_);
            inner_->watch(context_);
            for (std::size_t i = 0; i + 1 < series_.size(); ++i) {
                pack(c, series_[i], series_[i + 1]);
                part(*inner_, packed_.data(), series_[i + 1] - series_[i]);
            }
        }
    }

    // The last part is met on its own anyway, as an up-set, and so is what is above one node.
    bool series_helps() const {
        for (std::size_t i = 0; i + 2 < series_.size(); ++i) {
            if (series_[i + 1] - series_[i] > 1) return true;
        }
        return false;
    }

    // The nodes first to last - 1 of a component as a DAG of their own.
    void pack(int component, int first, int last) {
        const auto words = words_for(last - first);
        packed_.assign(static_cast<std::size_t>(last - first) * words, 0);
        for (int v = first; v < last; ++v) {
            for (const int parent : components_.parents(component, v)) {
                if (parent < first) continue;
                put_member(packed_.data() + static_cast<std::size_t>(v - first) * words,
                           parent - first);
            }
        }
    }

    template <int Words, class Share>
    void count(Tables<Words>& tables, Share&& share) {
        const Direction direction = promising(trees_);
        tables.core.build(trees_, direction);
        tables.core.find_meetings();
        try {
            share(tables, direction, std::max<std::size_t>(budget_ / Words, 1));
        } catch (const BudgetPassed&) {
            refuse(trees_.whole_size(), budget_);
        }
    }

    template <int Words>
    Tables<Words>& tables() {
        auto& wanted = std::get<std::unique_ptr<Tables<Words>>>(tables_);
        if (!wanted) wanted = std::make_unique<Tables<Words>>();
        return *wanted;
    }

    std::size_t budget_;
    TaskContext* context_ = nullptr;
    Components components_;
    HangingTrees trees_;
    Remainders arithmetic_;
    std::vector<int> series_;
    std::vector<std::uint64_t> packed_;
    std::unique_ptr<Workspace> inner_;
    std::tuple<std::unique_ptr<Tables<1>>, std::unique_ptr<Tables<2>>, std::unique_ptr<Tables<4>>,
               std::unique_ptr<Tables<16>>>
        tables_;
};

LinearExtensions::LinearExtensions(std::size_t budget)
    : workspace_(std::make_unique<Workspace>(budget)) {}
LinearExtensions::~LinearExtensions() = default;
LinearExtensions::LinearExtensions(LinearExtensions&&) noexcept = default;
LinearExtensions& LinearExtensions::operator=(LinearExtensions&&) noexcept = default;

double LinearExtensions::log_count(const std::uint64_t* parents, int nodes, TaskContext* context) {
    workspace_->watch(context);
    return workspace_->log_count(parents, nodes);
}

void LinearExtensions::count_modulo(const std::uint64_t* parents, int nodes,
                                    std::span<const std::uint64_t> primes,
                                    std::span<std::uint64_t> remainders, TaskContext* context) {
    workspace_->watch(context);
    for (std::size_t i = 0; i < primes.size(); i += Remainders::lanes) {
        // Where fewer are left than are counted at once, the last stands in for the rest.
        Remainders::Number several;
        for (std::size_t lane = 0; lane < Remainders::lanes; ++lane) {
            several[lane] = primes[std::min(i + lane, primes.size() - 1)];
        }
        const Remainders::Number counts = workspace_->count_modulo(parents, nodes, several);
        for (std::size_t lane = 0; lane < Remainders::lanes && i + lane < primes.size(); ++lane) {
            remainders[i + lane] = counts[lane];
        }
    }
}

void log_linear_extensions(const std::uint64_t* parents, int nodes, std::size_t budget,
                           std::span<double> log_counts, const RunOptions& options) {
    const std::size_t words = words_for(nodes);
    const std::size_t each = static_cast<std::size_t>(nodes) * words;
    const std::size_t workers =
        std::min(static_cast<std::size_t>(options.threads()), log_counts.size());
    // Counts take from microseconds to seconds, so a thread takes the next few when it is free.
    constexpr std::size_t piece = 16;
    std::atomic<std::size_t> next = 0;
    run_tasks(workers, log_counts.size(), options, [&](std::size_t, TaskContext& context) {
        LinearExtensions extensions(budget);
        while (true) {
            const std::size_t first = next.fetch_add(piece);
            if (first >= log_counts.size()) return;
            const std::size_t last = std::min(first + piece, log_counts.size());
            for (std::size_t i = first; i < last; ++i) {
                log_counts[i] = extensions.log_count(parents + i * each, nodes, &context);
                context.advance(1);
            }
        }
    });
}

}  // namespace arcwise
