// Ranks and hashes of parent sets.
#include "arcwise/spaces/dags/family_weights.hpp"

#include <algorithm>
#include <bit>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/relations/mutable_dag.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Weights lie by rank if that leaves at most this number of places empty for each family.
constexpr std::size_t most_empty = 4;
constexpr std::size_t words_on_stack = 16;

std::uint64_t hash_of(ParentBits places, std::size_t words) {
    std::uint64_t hash = 0;
    for (std::size_t word = 0; word < words; ++word) {
        hash = (hash ^ places[word]) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace

FamilyWeights::FamilyWeights(const ScoreSums& sums)
    : sums_(sums),
      words_(words_for(sums.nodes())),
      nodes_(static_cast<std::size_t>(sums.nodes())),
      candidates_(nodes_.size() * words_),
      required_(nodes_.size() * words_) {
    for (int node = 0; node < sums.nodes(); ++node) {
        fill(node);
        double& lightest = nodes_[static_cast<std::size_t>(node)].lightest;
        if (lightest == -minus_infinity) lightest = 0.0;  // no family at all
    }
}

void FamilyWeights::fill(int node) {
    OfNode& own = nodes_[static_cast<std::size_t>(node)];
    const NodeSums& of_node = sums_[node];
    const std::vector<int>& possible = sums_.possible_parents(node);
    std::size_t candidates = 0;
    bool ascending = true;
    const std::size_t first = static_cast<std::size_t>(node) * words_;
    for (std::size_t place = 0; place < possible.size(); ++place) {
        const bool needed = has_member(of_node.required_bits(), place);
        put_member((needed ? required_ : candidates_).data() + first, possible[place]);
        if (needed) continue;
        ascending = ascending && place == candidates &&
                    (place == 0 || possible[place - 1] < possible[place]);
        ++candidates;
    }
    own.all_others = words_ == 1 && ascending && candidates + 1 == nodes_.size();

    const auto look_at = [&](double weight, ParentBits parents) {
        const auto size = static_cast<int>(count_members(parents, of_node.words()));
        own.largest = std::max(own.largest, size - static_cast<int>(possible.size() - candidates));
        most_parents_ = std::max(most_parents_, size);
        own.lightest = std::min(own.lightest, weight);
    };
    std::vector<std::uint64_t> bits(of_node.words());
    of_node.for_each([&](std::int64_t place, double weight) {
        of_node.copy_parents(place, bits.data());
        look_at(weight, bits.data());
    });
    if (of_node.by_rows()) return;
    const SortedFamilies& families = *of_node.listed();
    // The number of sets may be beyond counting; as a double it is near enough to choose by.
    double sets = 0.0;
    double binomial = 1.0;
    for (int size = 0; size <= own.largest; ++size) {
        sets += binomial;
        binomial *= (static_cast<double>(candidates) - size) / (size + 1.0);
    }
    own.ranked = ascending && sets <= static_cast<double>(most_empty * families.count() + 1024);
    if (own.ranked) {
        fill_ranks(own, families, static_cast<int>(candidates));
    } else {
        fill_hashes(own, families);
    }
}

void FamilyWeights::fill_ranks(OfNode& own, const SortedFamilies& families, int candidates) const {
    own.layout = SubsetLayout(candidates, own.largest);
    own.by_rank.assign(own.layout.count(), minus_infinity);
    std::vector<int> members;
    for (std::size_t family = 0; family < families.count(); ++family) {
        members.clear();
        for_each_member(families.parents(family), families.words(), [&](int place) {
            if (place < candidates) members.push_back(place);
        });
        std::reverse(members.begin(), members.end());
        own.by_rank[own.layout.rank(members)] = families.weight(family);
    }
    if (families.count() == own.layout.count()) own.all_up_to = own.largest;
}

void FamilyWeights::fill_hashes(OfNode& own, const SortedFamilies& families) const {
    own.by_hash.assign(std::bit_ceil(2 * families.count() + 1), 0);
    for (std::size_t family = 0; family < families.count(); ++family) {
        std::size_t slot = hash_of(families.parents(family), families.words());
        while (own.by_hash[slot & (own.by_hash.size() - 1)] != 0) ++slot;
        own.by_hash[slot & (own.by_hash.size() - 1)] = static_cast<std::uint32_t>(family + 1);
    }
}

double FamilyWeights::find(int node, const std::uint64_t* parents) const {
    const OfNode& own = at(node);
    const std::uint64_t* candidates = this->candidates(node);
    const std::uint64_t* required = this->required(node);
    for (std::size_t word = 0; word < words_; ++word) {
        if ((parents[word] & ~candidates[word]) != required[word]) return minus_infinity;
    }
    if (!own.ranked) return find_by_places(node, parents);
    std::uint64_t rank = 0;
    int room = own.layout.max_size();
    for (std::size_t word = words_; word-- > 0;) {
        std::uint64_t left = parents[word] & candidates[word];
        while (left != 0) {
            const int bit = 63 - std::countl_zero(left);
            left ^= std::uint64_t{1} << bit;
            if (room == 0) return minus_infinity;
            rank += own.layout.below(sums_.place(node, static_cast<int>(word * 64) + bit), room--);
        }
    }
    return own.by_rank[rank];
}

double FamilyWeights::find_by_places(int node, const std::uint64_t* parents) const {
    const OfNode& own = at(node);
    std::uint64_t few[words_on_stack];
    std::vector<std::uint64_t> many(sums_.words() > words_on_stack ? sums_.words() : 0);
    std::uint64_t* places = many.empty() ? few : many.data();
    to_places(node, parents, places);
    const NodeSums& of_node = sums_[node];
    if (of_node.by_rows()) {
        const std::int64_t place = of_node.place_in_rows(places);
        return place < 0 ? minus_infinity : of_node.weight(place);
    }
    const SortedFamilies& families = *of_node.listed();
    std::size_t slot = hash_of(places, families.words());
    for (;; ++slot) {
        const std::uint32_t found = own.by_hash[slot & (own.by_hash.size() - 1)];
        if (found == 0) return minus_infinity;
        if (std::equal(places, places + families.words(), families.parents(found - 1))) {
            return families.weight(found - 1);
        }
    }
}

LogWeight FamilyWeights::weigh(int node, const std::uint64_t* parents) const {
    const double weight = find(node, parents);
    if (weight > minus_infinity) return {weight, 0};
    const OfNode& own = at(node);
    std::size_t wrong = 0;
    std::size_t free = 0;
    for (std::size_t word = 0; word < words_; ++word) {
        const std::uint64_t candidates = this->candidates(node)[word];
        const std::uint64_t strangers = (parents[word] & ~candidates) ^ required(node)[word];
        wrong += static_cast<std::size_t>(std::popcount(strangers));
        free += static_cast<std::size_t>(std::popcount(parents[word] & candidates));
    }
    // Smaller sets are families rather than larger ones.
    const auto largest = static_cast<std::size_t>(own.all_up_to < 0 ? 0 : own.all_up_to);
    const std::size_t excess = free > largest ? free - largest : 0;
    return {own.lightest, std::max(1, static_cast<int>(wrong + excess))};
}

void FamilyWeights::to_places(int node, const std::uint64_t* set, std::uint64_t* places) const {
    if (at(node).all_others) {
        places[0] = squeeze_bit(set[0], node);
        return;
    }
    std::fill_n(places, sums_.words(), 0);
    for (std::size_t word = 0; word < words_; ++word) {
        std::uint64_t left = set[word] & (candidates(node)[word] | required(node)[word]);
        for (; left != 0; left &= left - 1) {
            const int parent = static_cast<int>(word * 64) + std::countr_zero(left);
            put_member(places, sums_.place(node, parent));
        }
    }
}

void FamilyWeights::parents_of(int node, std::int64_t family, std::uint64_t* set) const {
    std::fill_n(set, words_, 0);
    add_family(sums_, node, family, set);
}

}  // namespace arcwise
