// Scores families with one outside parent: a walk over the subsets of the candidates, in which the
// outside parents are the leaves of every set, all evaluated at once.
#include <algorithm>

#include "arcwise/scores/set_plan.hpp"

namespace arcwise {
namespace {

// Positions of the prepared variables: outside parents first, as leaves lie below what is pushed;
// then candidates, required parents, and the node.
class PlusOneWalk {
  public:
    PlusOneWalk(SubsetWalker& walker, const ParentSets& sets, double* values, TaskContext& context)
        : walker_(walker),
          sets_(sets),
          values_(values),
          context_(context),
          outside_(static_cast<int>(sets.outside.size())),
          buffer_(sets.outside.size()) {}

    // Writes M(P) for every family, or with the node among the variables M(P + v) less what is
    // there.
    void run(bool with_node) {
        const int node =
            outside_ + static_cast<int>(sets_.candidates.size() + sets_.required.size());
        const int first_base = outside_ + static_cast<int>(sets_.candidates.size());
        with_node_ = with_node;
        out_ = values_;
        if (with_node) walker_.push(node, false);
        for (int position = node - 1; position >= first_base; --position) {
            walker_.push(position, false);
        }
        visit(static_cast<int>(sets_.candidates.size()), sets_.plus_one->max_size());
        for (int position = node - 1; position >= first_base; --position) walker_.pop();
        if (with_node) walker_.pop();
    }

  private:
    void visit(int limit, int room) {
        walker_.leaves(outside_, buffer_.data());
        for (const double value : buffer_) {
            *out_ = with_node_ ? value - *out_ : value;
            ++out_;
        }
        context_.advance(buffer_.size());
        if (room == 0) return;
        for (int member = 0; member < limit; ++member) {
            walker_.push(outside_ + member, room == 1 || member == 0);
            visit(member, room - 1);
            walker_.pop();
        }
    }

    SubsetWalker& walker_;
    const ParentSets& sets_;
    double* values_;
    TaskContext& context_;
    int outside_;
    std::vector<double> buffer_;
    bool with_node_ = false;
    double* out_ = nullptr;
};

}  // namespace

void score_plus_one(const SetFunction& score, std::span<const PlusOneValues> of_nodes,
                    const RunOptions& options) {
    std::uint64_t families = 0;
    for (const PlusOneValues& each : of_nodes) families += each.sets.count_plus_one();
    run_tasks(of_nodes.size(), 2 * families, options, [&](std::size_t task, TaskContext& context) {
        const ParentSets& sets = of_nodes[task].sets;
        if (sets.outside.empty()) return;
        const int node = static_cast<int>(task);
        std::vector<int> variables(sets.outside.begin(), sets.outside.end());
        variables.insert(variables.end(), sets.candidates.begin(), sets.candidates.end());
        variables.insert(variables.end(), sets.required.begin(), sets.required.end());
        variables.push_back(node);
        const auto prepared = score.prepare(variables, score.intervened(node) ? node : -1);
        const auto walker = prepared->walker();
        PlusOneWalk walk(*walker, sets, of_nodes[task].values, context);
        for (const bool with_node : {false, true}) walk.run(with_node);
    });
}

}  // namespace arcwise
