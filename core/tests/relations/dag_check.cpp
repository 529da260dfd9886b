// What is no DAG is found, the first of many and the first node at fault, on any number of threads.
#include <algorithm>
#include <vector>

#include "arcwise/relations/many_dags.hpp"
#include "arcwise/support/bits.hpp"
#include "check.hpp"
#include "generated.hpp"

using namespace arcwise;
using namespace arcwise::tests;

namespace {

// Parents come before their children in some order.
std::vector<std::uint64_t> draw_dags(Random& random, std::size_t count, int n, double density) {
    const std::size_t words = words_for(n);
    std::vector<std::uint64_t> result(count * static_cast<std::size_t>(n) * words, 0);
    for (std::size_t dag = 0; dag < count; ++dag) {
        std::uint64_t* parents = result.data() + dag * static_cast<std::size_t>(n) * words;
        for (int i = 0; i < n; ++i) {
            // By an order that is a product modulo a prime beyond any number of nodes used here.
            const auto place = [&](int node) { return (7919 * (node + 1) + 31 * n) % 10007; };
            for (const int u : subset(random, n, density)) {
                if (place(u) < place(i))
                    put_member(parents + static_cast<std::size_t>(i) * words, u);
            }
        }
    }
    return result;
}

// By removing nodes without parents until there are none: the definition.
bool has_cycle(const std::uint64_t* parents, int n) {
    const std::size_t words = words_for(n);
    std::vector<bool> gone(static_cast<std::size_t>(n), false);
    for (int round = 0; round < n; ++round) {
        for (std::size_t v = 0; v < gone.size(); ++v) {
            bool waits = false;
            for_each_member(parents + v * words, words,
                            [&](int u) { waits = waits || !gone[static_cast<std::size_t>(u)]; });
            if (!waits) gone[v] = true;
        }
    }
    return std::find(gone.begin(), gone.end(), false) != gone.end();
}

}  // namespace

TEST(dags_have_no_fault_whatever_the_number_of_words) {
    Random random(5, 1);
    for (const int n : {1, 2, 20, 63, 64, 65, 130}) {
        const auto parents = draw_dags(random, 50, n, 0.3);
        for (const int threads : {1, 3}) {
            CHECK(!find_faulty_dag({parents.data(), 50, n}, {Processors{threads}}));
        }
    }
}

TEST(random_graphs_have_a_fault_if_and_only_if_they_have_a_cycle) {
    Random random(6, 1);
    int cyclic = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const int n = trial % 3 == 0 ? 67 : 5;
        const std::size_t words = words_for(n);
        std::vector<std::uint64_t> parents(static_cast<std::size_t>(n) * words, 0);
        for (int v = 0; v < n; ++v) {
            for (const int u : subset(random, n, n == 5 ? 0.25 : 0.008)) {
                if (u != v) put_member(parents.data() + static_cast<std::size_t>(v) * words, u);
            }
        }
        const auto found = find_faulty_dag({parents.data(), 1, n}, {});
        CHECK(found.has_value() == has_cycle(parents.data(), n));
        if (found) {
            CHECK(found->fault == DagFault::cycle);
            ++cyclic;
        }
    }
    CHECK(cyclic > 200 && cyclic < 1800);
}

TEST(the_first_fault_of_many_is_found_on_any_number_of_threads) {
    Random random(7, 1);
    for (const int n : {8, 64, 70}) {
        const std::size_t words = words_for(n);
        const std::size_t count = 9000;
        const std::size_t size = static_cast<std::size_t>(n) * words;
        const auto sound = draw_dags(random, count, n, 0.2);
        for (const DagFault fault : {DagFault::beyond, DagFault::loop}) {
            if (fault == DagFault::beyond && n == 64) continue;  // there is no bit beyond
            auto parents = sound;
            for (const std::size_t dag : {std::size_t{8999}, std::size_t{4500}}) {
                std::uint64_t* of_node = parents.data() + dag * size + 3 * words;
                put_member(of_node, fault == DagFault::loop ? 3 : static_cast<int>(64 * words) - 1);
            }
            for (const int threads : {1, 4}) {
                const auto found =
                    find_faulty_dag({parents.data(), count, n}, {Processors{threads}});
                CHECK(found && found->dag == 4500 && found->node == 3 && found->fault == fault);
            }
        }
    }
}
