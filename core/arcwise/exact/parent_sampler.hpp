// Draws parent sets of single nodes, for samplers whose states are sets of up to 32 variables.
//
// Distributions that were needed once are kept: the heaviest families of a (node, allowed,
// required) and their running shares. A draw beyond them scans the families as if nothing had been
// kept, so the cache changes no draw.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arcwise/sums/score_sums.hpp"
#include "arcwise/support/random.hpp"
#include "arcwise/support/tasks.hpp"

namespace arcwise {

// The score sums of all nodes, asked by sets of variables.
class SetSums {
  public:
    // Tables if `tabulate`, scans to the tolerance otherwise.
    SetSums(const FamilyTable& weights, bool tabulate, const RunOptions& options);

    int nodes() const { return sums_.nodes(); }
    double log_sum(int node, std::uint32_t allowed) const {
        const std::uint64_t bits = bits_of(node, allowed);
        return sums_[node].log_sum(&bits);
    }
    double log_sum(int node, std::uint32_t allowed, std::uint32_t required, SumMemo& memo) const {
        const std::uint64_t inside = bits_of(node, allowed);
        const std::uint64_t wanted = bits_of(node, required);
        return sums_[node].log_sum(&inside, &wanted, memo);
    }
    const SortedFamilies& families(int node) const { return sums_[node].families(); }

    // From sets of variables to bits over a node's possible parents, and back.
    std::uint64_t bits_of(int node, std::uint32_t set) const;
    std::uint32_t set_of(int node, std::uint64_t bits) const;

  private:
    ScoreSums sums_;
    std::vector<std::vector<std::uint8_t>> possible_;
};

// Belongs to one thread.
class ParentSampler {
  public:
    explicit ParentSampler(const SetSums& sums) : sums_(sums) {}

    // A parent set within `allowed`; if `required` is not empty, one that meets it.
    std::uint32_t draw(int node, std::uint32_t allowed, std::uint32_t required, Random& random);

  private:
    struct Key {
        std::uint64_t node_and_allowed;
        std::uint32_t required;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            std::uint64_t h = key.node_and_allowed * 0x9E3779B97F4A7C15ULL;
            h = (h ^ (h >> 29) ^ key.required) * 0xBF58476D1CE4E5B9ULL;
            return h ^ (h >> 32);
        }
    };
    struct Distribution {
        double log_sum = 0.0;
        std::vector<double> running;  // share of the families up to and including each
        std::vector<std::uint32_t> parents;
    };
    Distribution make(int node, std::uint64_t allowed, std::uint64_t required, bool meets) const;

    const SetSums& sums_;
    mutable SumMemo memo_;
    std::unordered_map<Key, Distribution, Hash> kept_;
    std::size_t numbers_kept_ = 0;
};

}  // namespace arcwise
