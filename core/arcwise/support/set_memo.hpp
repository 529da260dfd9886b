// Remembers what takes long to compute, by keys of the sets it is computed from.
//
// A key has 128 bits made from the sets: two of a billion sets share one with a probability below
// 1e-20. A value is a function of its sets alone, so neither to remember nor to forget it changes a
// result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
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

// A key of words, by two rounds of multiplying and folding with constants of their own.
class KeyOfWords {
  public:
    void add(std::uint64_t word) {
        key_.first = fold(key_.first ^ word, 0x9E3779B97F4A7C15ULL);
        key_.second = fold(key_.second ^ word, 0xC2B2AE3D27D4EB4FULL);
    }
    void add(std::span<const std::uint64_t> words) {
        for (const std::uint64_t word : words) add(word);
    }
    const SetKey& key() const { return key_; }

  private:
    static std::uint64_t fold(std::uint64_t x, std::uint64_t factor) {
        x *= factor;
        x ^= x >> 32;
        x *= factor;
        return x ^ (x >> 29);
    }
    SetKey key_{0x6A09E667F3BCC909ULL, 0xBB67AE8584CAA73BULL};
};

// Remembers numbers; belongs to one thread. Newer ones take the places of older ones.
class SumMemo {
  public:
    template <class Compute>
    double get(const SetKey& key, Compute&& compute) {
        Entry* entry = &entries_[key.first % entries_.size()];
        if (entry->key == key) return entry->value;
        if (++added_ > entries_.size() && entries_.size() < most_entries) {
            grow();
            entry = &entries_[key.first % entries_.size()];
        }
        *entry = {key, compute()};
        return entry->value;
    }

  private:
    static constexpr std::size_t most_entries = std::size_t{1} << 16;
    struct Entry {
        SetKey key;  // an empty entry has the key of no set
        double value = std::numeric_limits<double>::quiet_NaN();
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

// The keys of single nodes, in each of several roles. A set of nodes is known by the XOR of those
// of its members, so that its key changes with a node in no time.
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

// Keeps what is too large to keep for many keys: every key has one slot, and what came last stays.
// Memory is used again once nobody holds it.
template <class Value>
class SetCache {
  public:
    explicit SetCache(std::size_t slots) : slots_(slots) {}

    // The value of a key, computed by compute(value) if it is not here.
    template <class Compute>
    std::shared_ptr<const Value> get(const SetKey& key, Compute&& compute) {
        if (const auto& slot = slots_[key.first % slots_.size()]; slot.value && slot.key == key) {
            return slot.value;
        }
        // Computing may need the slot itself for other keys: take its memory before.
        std::shared_ptr<Value> value;
        if (Slot& slot = slots_[key.first % slots_.size()]; slot.value.use_count() == 1) {
            value = std::move(slot.value);
        } else {
            value = std::make_shared<Value>();
        }
        compute(*value);
        slots_[key.first % slots_.size()] = {key, value};
        return value;
    }

  private:
    struct Slot {
        SetKey key;
        std::shared_ptr<Value> value;
    };
    std::vector<Slot> slots_;
};

}  // namespace arcwise
