// What is kept of the states an algorithm samples: their weights, DAGs drawn from them, and exact
// edge probabilities given them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arcwise/chains/batch_means.hpp"
#include "arcwise/families/fold_families.hpp"
#include "arcwise/linear_extensions/linear_extensions.hpp"
#include "arcwise/spaces/space.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

struct RecordOptions {
    // DAGs drawn from each kept state.
    int dags_per_state = 1;

    // If positive, as many DAGs as this share of the time since the last kept state allows instead.
    // Their number is found by drawing some that are thrown away: were the draws themselves timed,
    // DAGs that take longer to process would be too rare (paper 000, section 6.2).
    double dag_time_share = 0.0;

    // Whether to count the linear extensions of each DAG.
    bool count_extensions = false;
    std::size_t extension_budget = LinearExtensions::default_budget;
    bool estimate_extensions = false;  // beyond the budget; else that is an error

    // Whether to average exact edge probabilities, and in how many batches.
    bool edges = false;
    std::size_t edge_batches = 64;

    // If the space is of the ordinary nodes of a model with parent-only ones, the way back to all:
    // everything is then recorded over all nodes. The probabilities of edges from parent-only nodes
    // are those given the ordinary parents of a DAG drawn from the state, which has the same mean
    // as given the state.
    std::shared_ptr<const Unfolding> unfolding = nullptr;
};

// The record of one chain, or of one annealing run. Draws can be taken away while the chain goes
// on, so that its memory stays flat; `states` and `dags` count those that are here.
class Record {
  public:
    // `nodes` is the number of nodes of the space.
    Record(int nodes, const RecordOptions& options);

    // Those of DAGs and edges: of the space, or all if parent-only ones were folded.
    int nodes() const { return nodes_; }

    // The interval that ends with the next kept state begins; whatever one that was cut short has
    // averaged is forgotten.
    void begin_interval();

    // Averages the edges of a state within the interval. What is recorded with the kept state is
    // the mean of its edges and of all these.
    void average(const State& state, Random& random);

    // Keeps the state; `seconds` is the time spent on getting there. The counter of orders has
    // memory of its own, which is not worth keeping with every record; a long count asks the
    // context whether to go on.
    void keep(const State& state, Random& random, double seconds, LinearExtensions& counter,
              TaskContext& context);

    // Lets go of the draws; the batches of edges stay, as they are of the whole chain.
    void clear_draws();

    void save(ByteWriter& out) const;
    void restore(ByteReader& in);

    const RecordOptions& options() const { return options_; }
    std::size_t states() const { return log_weights.size(); }
    std::size_t dags() const { return log_extensions.size(); }

    std::vector<double> log_weights;        // of each state
    std::vector<std::uint16_t> codes;       // of each state, all of the same length
    std::vector<std::uint32_t> dag_counts;  // of each state
    std::vector<std::uint64_t> parents;     // of each DAG: nodes x words
    std::vector<double> log_extensions;     // of each DAG; 0 where not counted
    std::vector<double> extension_errors;   // of each DAG: standard error of the logarithm
    BatchMeans edges;                       // n x n

  private:
    void add_edges(GivenState& given, Random& random);
    void draw_dag(GivenState& given, Random& random);
    void draw(GivenState& given, Random& random, int count, LinearExtensions& counter,
              TaskContext& context);
    LinearExtensionEstimate count_orders(const std::uint64_t* dag, Random& random,
                                         LinearExtensions& counter, TaskContext& context);
    int dags_within(GivenState& given, Random& random, double seconds, LinearExtensions& counter,
                    TaskContext& context);

    // Drops all DAGs but the first ones.
    void keep_dags(std::size_t count);

    int space_nodes_;
    int nodes_;
    std::size_t words_;
    RecordOptions options_;
    std::vector<std::uint64_t> ordinary_dag_;  // over the nodes of the space, and its edges: where
    std::vector<double> ordinary_edges_;       // these are not all nodes
    ShareMemo shares_;
    std::vector<double> interval_;  // summed edges of the states of the interval
    std::uint64_t interval_states_ = 0;
};

}  // namespace arcwise
