// Drawing DAGs from kept states, counting their orders, and averaging edges.
#include "arcwise/chains/record.hpp"

#include <algorithm>
#include <numeric>

#include "arcwise/support/bits.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// The share of the time for DAGs that goes into finding out how many there is time for.
constexpr double trial_share = 0.1;

// Those that DAGs have.
std::size_t nodes_of_dags(int nodes, const RecordOptions& options) {
    return static_cast<std::size_t>(options.unfolding ? options.unfolding->nodes() : nodes);
}

}  // namespace

Record::Record(int nodes, const RecordOptions& options)
    : edges(options.edges ? nodes_of_dags(nodes, options) * nodes_of_dags(nodes, options) : 0,
            options.edge_batches),
      space_nodes_(nodes),
      nodes_(static_cast<int>(nodes_of_dags(nodes, options))),
      words_(words_for(nodes_)),
      options_(options),
      interval_(edges.quantities()) {
    if (!options.unfolding) return;
    const auto n = static_cast<std::size_t>(nodes);
    ordinary_dag_.resize(n * words_for(n));
    ordinary_edges_.resize(options.edges ? n * n : 0);
}

void Record::begin_interval() {
    if (interval_states_ > 0) std::fill(interval_.begin(), interval_.end(), 0.0);
    interval_states_ = 0;
}

void Record::average(const State& state, Random& random) {
    ++interval_states_;
    add_edges(*state.given(), random);
}

void Record::add_edges(GivenState& given, Random& random) {
    if (!options_.unfolding) {
        given.add_edge_probabilities(1.0, interval_.data());
        return;
    }
    const Unfolding& unfolding = *options_.unfolding;
    std::fill(ordinary_edges_.begin(), ordinary_edges_.end(), 0.0);
    given.add_edge_probabilities(1.0, ordinary_edges_.data());
    const auto n = static_cast<std::size_t>(space_nodes_);
    const auto at = [&](std::size_t v) {
        return static_cast<std::size_t>(unfolding.ordinary()[v]);
    };
    for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v < n; ++v) {
            interval_[at(u) * static_cast<std::size_t>(nodes_) + at(v)] +=
                ordinary_edges_[u * n + v];
        }
    }
    draw_dag(given, random);
    unfolding.add_shares(ordinary_dag_.data(), shares_, interval_.data());
}

void Record::draw_dag(GivenState& given, Random& random) {
    std::fill(ordinary_dag_.begin(), ordinary_dag_.end(), std::uint64_t{0});
    given.draw(random, ordinary_dag_.data());
}

void Record::keep(const State& state, Random& random, double seconds, LinearExtensions& counter,
                  TaskContext& context) {
    const std::unique_ptr<GivenState> given = state.given();
    if (options_.edges) {
        ++interval_states_;
        add_edges(*given, random);
    }
    int count = options_.dags_per_state;
    const std::size_t dags_before = dags();
    try {
        if (options_.dag_time_share > 0.0) {
            count =
                dags_within(*given, random, options_.dag_time_share * seconds, counter, context);
        }
        draw(*given, random, count, counter, context);
    } catch (...) {
        // Cut short or refused in the middle of a count: a state is kept whole or not at all.
        keep_dags(dags_before);
        begin_interval();
        throw;
    }
    if (options_.edges) {
        for (double& sum : interval_) sum /= static_cast<double>(interval_states_);
        edges.add(interval_);
        begin_interval();
    }
    log_weights.push_back(state.log_weight().value);
    const std::vector<std::uint16_t> code = state.encode();
    codes.insert(codes.end(), code.begin(), code.end());
    dag_counts.push_back(static_cast<std::uint32_t>(count));
}

void Record::clear_draws() {
    log_weights.clear();
    codes.clear();
    dag_counts.clear();
    keep_dags(0);
}

void Record::save(ByteWriter& out) const {
    out.put(log_weights);
    out.put(codes);
    out.put(dag_counts);
    out.put(parents);
    out.put(log_extensions);
    out.put(extension_errors);
    edges.save(out);
}

void Record::restore(ByteReader& in) {
    log_weights = in.get_vector<double>();
    codes = in.get_vector<std::uint16_t>();
    dag_counts = in.get_vector<std::uint32_t>();
    parents = in.get_vector<std::uint64_t>();
    log_extensions = in.get_vector<double>();
    extension_errors = in.get_vector<double>();
    edges.restore(in);
    const std::uint64_t drawn =
        std::accumulate(dag_counts.begin(), dag_counts.end(), std::uint64_t{0});
    if (dag_counts.size() != states() || drawn != dags() || extension_errors.size() != dags() ||
        parents.size() != dags() * static_cast<std::size_t>(nodes_) * words_ ||
        (states() == 0 ? !codes.empty() : codes.size() % states() != 0)) {
        ByteReader::damaged();
    }
}

void Record::draw(GivenState& given, Random& random, int count, LinearExtensions& counter,
                  TaskContext& context) {
    const std::size_t size = static_cast<std::size_t>(nodes_) * words_;
    for (int i = 0; i < count; ++i) {
        if (i % 256 == 255) context.advance(0);  // there may be millions
        parents.resize(parents.size() + size);
        std::uint64_t* dag = parents.data() + (parents.size() - size);
        const std::uint64_t* ordered = dag;  // parent-only nodes have no place in an order
        if (options_.unfolding) {
            draw_dag(given, random);
            options_.unfolding->draw(ordinary_dag_.data(), random, dag);
            ordered = ordinary_dag_.data();
        } else {
            given.draw(random, dag);
        }
        LinearExtensionEstimate orders{0.0, 0.0};
        if (options_.count_extensions) orders = count_orders(ordered, random, counter, context);
        log_extensions.push_back(orders.log_count);
        extension_errors.push_back(orders.standard_error);
    }
}

LinearExtensionEstimate Record::count_orders(const std::uint64_t* dag, Random& random,
                                             LinearExtensions& counter, TaskContext& context) {
    try {
        return {counter.log_count(dag, space_nodes_, &context), 0.0};
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::capacity || !options_.estimate_extensions) throw;
    }
    const EstimateOptions settings{
        .sets = 100,
        .runs = 16,
        .exact_sets = std::min<std::size_t>(options_.extension_budget, 20'000),
        .exact_nodes = 12};
    return estimate_linear_extensions(dag, space_nodes_, settings, random.bits(), RunOptions{});
}

void Record::keep_dags(std::size_t count) {
    parents.resize(count * static_cast<std::size_t>(nodes_) * words_);
    log_extensions.resize(count);
    extension_errors.resize(count);
}

int Record::dags_within(GivenState& given, Random& random, double seconds,
                        LinearExtensions& counter, TaskContext& context) {
    const double start = seconds_now();
    int drawn = 0;
    double spent = 0.0;
    do {
        draw(given, random, 1, counter, context);
        ++drawn;
        spent = seconds_now() - start;
    } while (spent < trial_share * seconds);
    // The trial draws are thrown away.
    keep_dags(dags() - static_cast<std::size_t>(drawn));
    return std::max(1, static_cast<int>((seconds - spent) * drawn / std::max(spent, 1e-9)));
}

}  // namespace arcwise
