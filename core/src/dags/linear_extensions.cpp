// Counting component by component, each from the end that promises to be cheaper.
#include "arcwise/dags/linear_extensions.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "arcwise/support/error.hpp"
#include "arcwise/support/special.hpp"
#include "components.hpp"
#include "order_volume.hpp"
#include "share_arithmetic.hpp"

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
    Poset<Words> poset;
    OrderVolume<Words, Shares<Words>> shares;
    OrderVolume<Words, Remainders> remainders;
};

}  // namespace

class LinearExtensions::Workspace {
  public:
    explicit Workspace(std::size_t budget) : budget_(budget) {}

    void watch(TaskContext* context) { context_ = context; }

    double log_count(const std::uint64_t* parents, int nodes) {
        double result = log_gamma(static_cast<double>(nodes) + 1.0);
        for_each_component(parents, nodes, [&](auto& tables, int, std::size_t most_sets) {
            tables.shares.start(tables.poset, context_);
            const auto share = tables.shares.share(tables.poset.all(), most_sets);
            result += tables.shares.arithmetic().log(share);
        });
        return std::max(result, 0.0);
    }

    Remainders::Number count_modulo(const std::uint64_t* parents, int nodes,
                                    const Remainders::Number& primes) {
        arithmetic_.set(primes, nodes);
        Remainders::Number result = Remainders::one();
        for (int v = 2; v <= nodes; ++v) result = arithmetic_.times(result, v);
        for_each_component(parents, nodes, [&](auto& tables, int size, std::size_t most_sets) {
            tables.remainders.arithmetic().set(primes, size);
            tables.remainders.start(tables.poset, context_);
            const auto share = tables.remainders.share(tables.poset.all(), most_sets);
            result = arithmetic_.product(result, share);
        });
        return result;
    }

  private:
    // Calls visit(tables with the poset, nodes, sets that may be remembered) for each component of
    // at least two nodes. The count of a DAG is n! times the product of the shares.
    template <class Visit>
    void for_each_component(const std::uint64_t* parents, int nodes, Visit&& visit) {
        components_.split(parents, nodes);
        for (int c = 0; c < components_.count(); ++c) {
            const int size = components_.size(c);
            if (size == 1) continue;
            with_words_for(size, [&](auto words) { count(tables<words()>(), c, visit); });
        }
    }

    template <int Words, class Visit>
    void count(Tables<Words>& tables, int component, Visit&& visit) {
        tables.poset.build(components_, component, promising(components_, component));
        try {
            visit(tables, tables.poset.size(), std::max<std::size_t>(budget_ / Words, 1));
        } catch (const BudgetPassed&) {
            refuse(tables.poset.size(), budget_);
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
    Remainders arithmetic_;
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

}  // namespace arcwise
