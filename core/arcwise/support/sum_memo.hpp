// Remembers numbers that take long to add up, by a key of the sets they are sums over.
//
// A key has 128 bits made from the sets: two of a billion sets share one with a probability below
// 1e-20. A number is a function of its sets alone, so remembering it changes no result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

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

// Belongs to one thread. Newer numbers take the places of older ones.
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

}  // namespace arcwise
