// Splitting rows into the cells of a contingency table, one variable at a time.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace arcwise {

// Gives each row the number of its cell when the cells it was in are split by one more column.
// Numbers follow the first appearance, so they are dense: only cells that hold a row exist.
class CellSplitter {
  public:
    // Writes the new cell of every row to `split` (which may be `cells` itself); returns how many.
    std::uint32_t split(std::span<const std::uint32_t> cells, std::uint32_t cell_count,
                        std::span<const std::uint16_t> column, std::uint32_t levels,
                        std::span<std::uint32_t> split) {
        const std::uint64_t possible = std::uint64_t{cell_count} * levels;
        if (possible > dense_limit(cells.size()))
            return split_sparsely(cells, column, levels, split);
        numbers_.assign(possible, unused);
        std::uint32_t used = 0;
        for (std::size_t row = 0; row < cells.size(); ++row) {
            std::uint32_t& number = numbers_[std::size_t{cells[row]} * levels + column[row]];
            if (number == unused) number = used++;
            split[row] = number;
        }
        return used;
    }

    // Tables up to this many cells are worth an array; beyond, clearing it would cost more than the
    // rows themselves (a column may have 65,535 levels).
    static std::uint64_t dense_limit(std::size_t rows) { return 8 * std::uint64_t{rows} + 4096; }

  private:
    static constexpr std::uint32_t unused = 0xFFFFFFFFu;

    std::uint32_t split_sparsely(std::span<const std::uint32_t> cells,
                                 std::span<const std::uint16_t> column, std::uint32_t levels,
                                 std::span<std::uint32_t> split) {
        sparse_numbers_.clear();
        for (std::size_t row = 0; row < cells.size(); ++row) {
            const std::uint64_t key = std::uint64_t{cells[row]} * levels + column[row];
            const auto used = static_cast<std::uint32_t>(sparse_numbers_.size());
            split[row] = sparse_numbers_.try_emplace(key, used).first->second;
        }
        return static_cast<std::uint32_t>(sparse_numbers_.size());
    }

    std::vector<std::uint32_t> numbers_;
    std::unordered_map<std::uint64_t, std::uint32_t> sparse_numbers_;
};

}  // namespace arcwise
