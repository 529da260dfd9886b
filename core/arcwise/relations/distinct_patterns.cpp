// Finds equal rows by an open hash table of their numbers, which grows with the rows that differ.
#include <algorithm>
#include <limits>

#include "arcwise/relations/many_dags.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

// Every word is mixed in by a product of 128 bits, whose halves are added (as wyhash does).
std::uint64_t hash(const std::uint64_t* row, std::size_t width) {
    __extension__ using Wide = unsigned __int128;
    std::uint64_t state = 0x9E3779B97F4A7C15U;
    for (std::size_t i = 0; i < width; ++i) {
        const Wide product = static_cast<Wide>(state ^ row[i]) * 0xD6E8FEB86659FD93U;
        state = (static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64)) +
                0x2545F4914F6CDD1DU;
    }
    return state;
}

class PatternTable {
  public:
    PatternTable(const std::uint64_t* rows, std::size_t width)
        : rows_(rows), width_(width), slots_(1024, none) {}

    std::uint64_t number_of(std::size_t index) {
        const std::uint64_t code = hash(rows_ + index * width_, width_);
        const std::size_t slot = find(rows_ + index * width_, code);
        if (slots_[slot] != none) return slots_[slot];
        const std::uint64_t number = first.size();
        slots_[slot] = number;
        first.push_back(index);
        codes_.push_back(code);
        if (2 * first.size() > slots_.size()) grow();
        return number;
    }

    std::vector<std::uint64_t> first;

  private:
    std::size_t find(const std::uint64_t* row, std::uint64_t code) const {
        std::size_t slot = code & (slots_.size() - 1);
        while (slots_[slot] != none) {
            const std::uint64_t number = slots_[slot];
            if (codes_[number] == code &&
                std::equal(row, row + width_, rows_ + first[number] * width_)) {
                break;
            }
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), none);
        for (std::uint64_t number = 0; number < first.size(); ++number) {
            std::size_t slot = codes_[number] & (slots_.size() - 1);
            while (slots_[slot] != none) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = number;
        }
    }

    const std::uint64_t* rows_;
    std::size_t width_;
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint64_t> codes_;
};

}  // namespace

DistinctPatterns distinct_patterns(const std::uint64_t* rows, std::size_t count, std::size_t width,
                                   const RunOptions& options) {
    DistinctPatterns result;
    result.number.resize(count);
    // In one task: numbers go by the first appearance, and looking up is bound by memory anyway.
    run_tasks(1, count, options, [&](std::size_t, TaskContext& context) {
        PatternTable table(rows, width);
        constexpr std::size_t piece = 4096;
        for (std::size_t begin = 0; begin < count; begin += piece) {
            const std::size_t end = std::min(count, begin + piece);
            for (std::size_t i = begin; i < end; ++i) result.number[i] = table.number_of(i);
            context.advance(end - begin);
        }
        result.first = std::move(table.first);
    });
    return result;
}

}  // namespace arcwise
