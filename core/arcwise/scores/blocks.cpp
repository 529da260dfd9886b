// Walks over blocks by walks over their columns.
#include "arcwise/scores/blocks.hpp"

#include <algorithm>
#include <utility>

namespace arcwise {
namespace {

class BlockSets final : public PreparedSets {
  public:
    std::unique_ptr<SubsetWalker> walker() const override;

    int first(int position) const { return starts[static_cast<std::size_t>(position)]; }
    int end(int position) const { return starts[static_cast<std::size_t>(position) + 1]; }

    std::unique_ptr<PreparedSets> columns;
    std::vector<int> starts;  // of the positions, and the number of columns at the end
    int single_below = 0;     // all positions below this have one column
};

class BlockWalker final : public SubsetWalker {
  public:
    explicit BlockWalker(const BlockSets& sets) : sets_(sets), columns_(sets.columns->walker()) {}

    double value() const override { return columns_->value(); }

    void push(int position, bool only_leaves_follow) override {
        // A leaf of several columns is more than a leaf to the walk over columns.
        push_columns(position, only_leaves_follow && position <= sets_.single_below);
        pushed_.push_back(position);
    }

    void pop() override {
        for (int i = sets_.first(pushed_.back()); i < sets_.end(pushed_.back()); ++i) {
            columns_->pop();
        }
        pushed_.pop_back();
    }

    void leaves(int limit, double* out) override {
        const int single = std::min(limit, sets_.single_below);
        if (single > 0) columns_->leaves(sets_.end(single - 1), out);
        for (int position = single; position < limit; ++position) {
            push_columns(position, true);
            out[position] = columns_->value();
            for (int i = sets_.first(position); i < sets_.end(position); ++i) columns_->pop();
        }
    }

  private:
    void push_columns(int position, bool only_leaves_follow) {
        for (int column = sets_.end(position) - 1; column >= sets_.first(position); --column) {
            columns_->push(column, only_leaves_follow && column == sets_.first(position));
        }
    }

    const BlockSets& sets_;
    std::unique_ptr<SubsetWalker> columns_;
    std::vector<int> pushed_;
};

std::unique_ptr<SubsetWalker> BlockSets::walker() const {
    return std::make_unique<BlockWalker>(*this);
}

class BlockScore final : public SetFunction {
  public:
    BlockScore(std::unique_ptr<SetFunction> of_columns, std::vector<int> starts)
        : columns_(std::move(of_columns)), starts_(std::move(starts)) {}

    std::size_t size() const override { return starts_.size() - 1; }
    bool intervened(int node) const override {
        return first(node) < end(node) && columns_->intervened(first(node));
    }
    bool pushed_first(int variable) const override { return end(variable) - first(variable) != 1; }

    std::unique_ptr<PreparedSets> prepare(std::span<const int> variables, int node) const override {
        auto sets = std::make_unique<BlockSets>();
        std::vector<int> columns;
        for (const int variable : variables) {
            sets->starts.push_back(static_cast<int>(columns.size()));
            for (int column = first(variable); column < end(variable); ++column) {
                columns.push_back(column);
            }
        }
        sets->starts.push_back(static_cast<int>(columns.size()));
        while (sets->single_below < static_cast<int>(variables.size()) &&
               sets->end(sets->single_below) - sets->first(sets->single_below) == 1) {
            ++sets->single_below;
        }
        sets->columns = columns_->prepare(columns, node < 0 ? node : first(node));
        return sets;
    }

  private:
    int first(int variable) const { return starts_[static_cast<std::size_t>(variable)]; }
    int end(int variable) const { return starts_[static_cast<std::size_t>(variable) + 1]; }

    std::unique_ptr<SetFunction> columns_;
    std::vector<int> starts_;
};

}  // namespace

std::unique_ptr<SetFunction> make_block_score(std::unique_ptr<SetFunction> of_columns,
                                              std::vector<int> starts) {
    return std::make_unique<BlockScore>(std::move(of_columns), std::move(starts));
}

}  // namespace arcwise
