// The best DAG of a model by stochastic search over linear orders on maxima.
//
// The weight of an order is the sum over the nodes of the largest family weight within their
// predecessors, so the best order has the best DAG. A restart anneals a random order by tempered
// relocations, lets every node climb to its best place, and then perturbs what it has: a few
// neighbours are thrown about, those around them climb again, and the outcome stays unless it is
// worse. Equal weights are the rule, as equivalent DAGs weigh the same; steps among them are taken
// at random, and it is they that find the way out of most local optima.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// The best order of one restart.
struct FoundOrder {
    double log_weight = 0.0;
    std::vector<int> order;
    bool finished = false;  // false: cut short
};

// Restarts number first, first + 1, .. in parallel; restart i takes the random stream i, so it
// does not depend on who makes it; the first ones start from the orders given, without annealing. A
// restart ends after `patience` perturbations without improvement. `found` gets what there is even
// if the run is cut short, in the order of the restarts; those that had not got as far as an order
// of positive weight are left out. The sums should have tables of maxima. Throws `argument` if no
// order of positive weight is found.
void search_orders(std::shared_ptr<const ScoreSums> sums, std::uint64_t patience,
                   std::uint64_t seed, std::uint64_t first, std::size_t count,
                   const std::vector<std::vector<int>>& starts, const RunOptions& options,
                   std::vector<FoundOrder>& found);

}  // namespace arcwise
