// Remembers the weights of parts of a state by the sets of nodes that make them up.
//
// Chains come back to the same few buckets again and again. A set of nodes is known by the XOR of
// 128 random bits for each member: two of a billion sets share a key with a probability below
// 1e-20. A weight is a function of its sets alone, so remembering it changes no result.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "arcwise/support/random.hpp"

namespace arcwise {

struct SetKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    SetKey operator^(const SetKey& other) const {
        return {first ^ other.first, second ^ other.second};
    }
    bool operator==(const SetKey&) const = default;
};

// The keys of single nodes, in each of several roles.
class NodeKeys {
  public:
    NodeKeys(int nodes, int roles) : nodes_(static_cast<std::size_t>(nodes)) {
        Random random(0x5e7cab1e, 0);
        for (std::size_t i = 0; i < nodes_ * static_cast<std::size_t>(roles); ++i) {
            const std::uint64_t first = random.bits();
            keys_.push_back({first, random.bits()});
        }
    }

    const SetKey& operator()(int role, int node) const {
        return keys_[static_cast<std::size_t>(role) * nodes_ + static_cast<std::size_t>(node)];
    }

  private:
    std::size_t nodes_;
    std::vector<SetKey> keys_;
};

class WeightMemo {
  public:
    template <class Compute>
    double get(const SetKey& key, Compute&& compute) {
        Entry* entry = &entries_[key.first % entries_.size()];
        if (entry->key == key) return entry->weight;
        if (++added_ > entries_.size() && entries_.size() < most_entries) {
            grow();
            entry = &entries_[key.first % entries_.size()];
        }
        *entry = {key, compute()};
        return entry->weight;
    }

  private:
    static constexpr std::size_t most_entries = std::size_t{1} << 16;
    struct Entry {
        SetKey key;  // an empty entry has the key of no set
        double weight = std::numeric_limits<double>::quiet_NaN();
    };

    void grow() {
        std::vector<Entry> larger(4 * entries_.size());
        for (const Entry& entry : entries_) larger[entry.key.first % larger.size()] = entry;
        entries_ = std::move(larger);
        added_ = 0;
    }

    std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << 8);
    std::size_t added_ = 0;
};

}  // namespace arcwise
