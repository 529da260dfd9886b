// Builds every node's sums as one task, and names their bits.
#include "arcwise/sums/score_sums.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "arcwise/support/bits.hpp"

namespace arcwise {

ScoreSums::ScoreSums(const FamilyTable& table, const std::vector<SumMethod>& methods,
                     double tolerance, Tabulated tabulated, const RunOptions& options,
                     std::shared_ptr<const Unfolding> unfolding)
    : unfolding_(std::move(unfolding)) {
    std::vector<std::optional<NodeSums>> built(table.size());
    run_tasks(table.size(), table.size(), options, [&](std::size_t node, TaskContext& context) {
        built[node].emplace(table[node], static_cast<int>(node), methods[node], tolerance,
                            tabulated);
        context.advance(1);
    });
    sums_.reserve(table.size());
    for (std::optional<NodeSums>& sums : built) sums_.push_back(std::move(*sums));
    for (const NodeFamilies& families : table) {
        std::vector<int> possible(families.candidates());
        possible.insert(possible.end(), families.required().begin(), families.required().end());
        possible_.push_back(std::move(possible));
        inside_.push_back(families.inside());
    }
    name_bits();
}

void ScoreSums::name_bits() {
    for (const NodeSums& sums : sums_) words_ = std::max(words_, sums.words());
    places_.assign(sums_.size() * sums_.size(), -1);
    for (int node = 0; node < nodes(); ++node) {
        const std::vector<int>& possible = possible_parents(node);
        for (std::size_t place = 0; place < possible.size(); ++place) {
            places_[index(node, possible[place])] = static_cast<int>(place);
        }
    }
}

void ScoreSums::write(const std::string& path) const {
    ArchiveWriter writer(path);
    writer.list(sums_);
    for (const std::vector<int>& possible : possible_) writer.array(possible);
    writer.array(inside_);
    writer.number(unfolding_ != nullptr);
    if (unfolding_) unfolding_->write(writer);
    writer.finish();
}

ScoreSums::ScoreSums(ArchiveReader& reader) {
    reader.list(sums_);
    possible_.resize(sums_.size());
    for (std::vector<int>& possible : possible_) reader.array(possible);
    reader.array(inside_);
    bool folded = false;
    reader.number(folded);
    if (folded) unfolding_ = std::make_shared<const Unfolding>(reader);
    reader.finish();
    reader.expect(inside_.size() == sums_.size());
    reader.expect(!unfolding_ || unfolding_->ordinary().size() == sums_.size());
    for (std::size_t node = 0; node < sums_.size(); ++node) {
        std::vector<bool> seen(sums_.size(), false);
        seen[node] = true;
        for (const int parent : possible_[node]) {
            reader.expect(parent >= 0 && parent < nodes() &&
                          !seen[static_cast<std::size_t>(parent)]);
            seen[static_cast<std::size_t>(parent)] = true;
        }
        sums_[node].expect_sound(reader, node, possible_[node].size(), inside_[node]);
    }
    name_bits();
}

ScoreSums ScoreSums::map(const std::string& path, std::size_t start) {
    ArchiveReader reader(path, start);
    return ScoreSums(reader);
}

std::vector<std::uint64_t> ScoreSums::bits(int node, std::span<const int> parents) const {
    std::vector<std::uint64_t> result(words_, 0);
    for (const int parent : parents) {
        const int at = place(node, parent);
        if (at >= 0) put_member(result.data(), at);
    }
    return result;
}

std::vector<int> ScoreSums::family(int node, std::int64_t place) const {
    std::vector<std::uint64_t> bits((*this)[node].words());
    (*this)[node].copy_parents(place, bits.data());
    const std::vector<int>& possible = possible_parents(node);
    std::vector<int> result;
    for (std::size_t at = 0; at < possible.size(); ++at) {
        if (has_member(bits.data(), at)) result.push_back(possible[at]);
    }
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace arcwise
