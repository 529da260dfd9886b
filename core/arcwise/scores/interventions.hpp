// Which variable was set from outside in which row; such a row does not count in its own score.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace arcwise {

struct Interventions {
    std::span<const std::uint8_t> mask;  // empty, or rows x variables, column after column
    std::size_t rows = 0;

    bool at(std::size_t row, int variable) const {
        return !mask.empty() && mask[static_cast<std::size_t>(variable) * rows + row] != 0;
    }

    bool any(int variable) const {
        if (mask.empty()) return false;
        const auto column = mask.subspan(static_cast<std::size_t>(variable) * rows, rows);
        return std::any_of(column.begin(), column.end(), [](std::uint8_t set) { return set != 0; });
    }
};

}  // namespace arcwise
