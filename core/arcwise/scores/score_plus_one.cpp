// Scores families with one outside parent: a walk over the subsets of the candidates, in which the
// outside parents are the leaves of every set, all evaluated at once.
#include <algorithm>

#include "arcwise/scores/score_families.hpp"

namespace arcwise {
namespace {

// Positions of the prepared variables: outside parents first, as leaves lie below what is pushed;
// then candidates, required parents, and the node.
class PlusOneWalk {
  public:
    PlusOneWalk(SubsetWalker& walker, const PlusOneBlock& families, TaskContext& context)
        : walker_(walker),
          families_(families),
          context_(context),
          outside_(static_cast<int>(families.outside.size())),
          buffer_(families.outside.size()) {}

    // Writes M(P) for every family, or with the node among the variables M(P + v) less what is
    // there.
    void run(bool with_node) {
        const int node =
            outside_ + static_cast<int>(families_.candidates.size() + families_.required.size());
        const int first_base = outside_ + static_cast<int>(families_.candidates.size());
        with_node_ = with_node;
        out_ = families_.values;
        if (with_node) walker_.push(node, false);
        for (int position = node - 1; position >= first_base; --position) {
            walker_.push(position, false);
        }
        visit(static_cast<int>(families_.candidates.size()), families_.layout->max_size());
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
    const PlusOneBlock& families_;
    TaskContext& context_;
    int outside_;
    std::vector<double> buffer_;
    bool with_node_ = false;
    double* out_ = nullptr;
};

}  // namespace

void score_plus_one(const SetFunction& score, std::span<const PlusOneBlock> blocks,
                    const RunOptions& options) {
    std::uint64_t families = 0;
    for (const PlusOneBlock& of_node : blocks) families += of_node.count();
    run_tasks(blocks.size(), 2 * families, options, [&](std::size_t task, TaskContext& context) {
        const PlusOneBlock& of_node = blocks[task];
        if (of_node.outside.empty()) return;
        const int node = static_cast<int>(task);
        std::vector<int> variables(of_node.outside.begin(), of_node.outside.end());
        variables.insert(variables.end(), of_node.candidates.begin(), of_node.candidates.end());
        variables.insert(variables.end(), of_node.required.begin(), of_node.required.end());
        variables.push_back(node);
        const auto prepared = score.prepare(variables, score.intervened(node) ? node : -1);
        const auto walker = prepared->walker();
        PlusOneWalk walk(*walker, of_node, context);
        for (const bool with_node : {false, true}) walk.run(with_node);
    });
}

void score_families(const SetFunction& score, PlusOneTable& table, const RunOptions& options) {
    std::vector<PlusOneBlock> blocks;
    for (PlusOneFamilies& families : table) blocks.push_back(families.block());
    score_plus_one(score, blocks, options);
}

}  // namespace arcwise
