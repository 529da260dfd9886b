// A discrete table with missing values: its codes, and where each unknown value stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arcwise {

struct Place {
    std::size_t row = 0;
    int variable = 0;
};

// Unknown values that are drawn together: all of a row that stand nowhere else, or one value that
// stands in several rows.
struct Unknowns {
    std::vector<Place> places;
    bool copied = false;   // the places are of one value
    bool has_law = false;  // of one value: it stands in columns without a family alone
};

struct IncompleteRows {
    // `codes` by row; `cells` the number of the unknown value in each place, -1 where the value is
    // known; `levels` of each variable; `laws` the log probabilities of the levels of variables
    // that have no family, nothing for others; `intervened`, if not empty, by row, where a family
    // counts for nothing. Throws `argument` if sizes, codes or cells do not go together.
    IncompleteRows(std::vector<std::uint16_t> codes, std::span<const std::int64_t> cells,
                   std::vector<int> levels, std::vector<std::vector<double>> laws,
                   std::vector<std::uint8_t> intervened);

    std::size_t variables() const { return levels.size(); }
    std::size_t rows() const { return codes.size() / levels.size(); }
    const std::uint16_t* row(std::size_t number) const { return &codes[number * levels.size()]; }
    bool counts(std::size_t number, int node) const {
        return intervened.empty() ||
               intervened[number * levels.size() + static_cast<std::size_t>(node)] == 0;
    }

    std::vector<std::uint16_t> codes;
    std::vector<int> levels;
    std::vector<std::vector<double>> laws;
    std::vector<std::uint8_t> intervened;
    std::vector<Unknowns> unknowns;
};

}  // namespace arcwise
