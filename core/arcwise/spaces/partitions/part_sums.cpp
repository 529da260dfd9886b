// Sums that are not remembered yet, and how the memory of them grows.
#include "arcwise/spaces/partitions/part_sums.hpp"

#include <algorithm>

#include "arcwise/support/compiler.hpp"
#include "arcwise/support/random.hpp"

namespace arcwise {

PartSums::PartSums(const NodeWeights& weights, std::size_t most_entries)
    : weights_(weights), words_(weights.words()), most_entries_(most_entries) {
    Random random(0x9a275e75, 0);
    for (std::size_t i = 0; i < 2 * words_ + 1; ++i) multipliers_.push_back(random.bits() | 1);
    resize(std::min(most_entries_, std::size_t{1} << 8));
}

void PartSums::resize(std::size_t count) {
    shift_ = 64 - std::countr_zero(count);
    table_.assign(count * stride(), no_node);
    added_ = 0;
}

void PartSums::grow() {
    const std::vector<std::uint64_t> old = std::move(table_);
    resize(std::min(most_entries_, 4 * (old.size() / stride())));
    for (std::size_t i = 0; i < old.size(); i += stride()) {
        if (old[i + 1] == no_node) continue;
        const std::uint64_t* entry = old.data() + i;
        std::copy_n(entry, stride(), entry_of(static_cast<int>(entry[1]), entry + 2));
    }
}

double PartSums::add(int node, PartSets sets) {
    if (++added_ > entries() && entries() < most_entries_) grow();
    const NodeSums& of_node = weights_.sums()[node];
    const double sum = needs_parent(sets, words_) ? of_node.log_sum(sets, sets + words_, memo_)
                                                  : of_node.log_sum(sets);
    std::uint64_t* entry = entry_of(node, sets);
    entry[0] = std::bit_cast<std::uint64_t>(sum);
    entry[1] = static_cast<std::uint64_t>(node);
    std::copy_n(sets, 2 * words_, entry + 2);
    return sum;
}

void PartSums::prefetch_table(int node, PartSets sets) const {
    const NodeSums& of_node = weights_.sums()[node];
    if (!of_node.tabulated()) return;
    const Stored<double>& table = of_node.table();
    const std::size_t mask = table.size() - 1;
    prefetch(table.data() + (sets[0] & mask));
    prefetch(table.data() + (sets[0] & ~sets[words_] & mask));
}

void PartSums::answer() {
    // What has been found goes; the rest waits for tables that are on their way.
    std::size_t missing = 0;
    for (const Question& question : questions_) {
        if (holds(question.entry, question.node, question.sets)) {
            set(*question.weight, question.node, std::bit_cast<double>(question.entry[0]));
        } else {
            prefetch_table(question.node, question.sets);
            questions_[missing++] = question;
        }
    }
    questions_.resize(missing);
    for (const Question& question : questions_) {
        set(*question.weight, question.node, add(question.node, question.sets));
    }
    questions_.clear();
}

}  // namespace arcwise
