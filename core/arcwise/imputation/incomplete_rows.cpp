#include "arcwise/imputation/incomplete_rows.hpp"

#include <algorithm>
#include <utility>

#include "arcwise/support/error.hpp"

namespace arcwise {

namespace {

void refuse(bool wrong, const char* sentence) {
    if (wrong) throw Error(ErrorKind::argument, sentence);
}

}  // namespace

IncompleteRows::IncompleteRows(std::vector<std::uint16_t> of_rows,
                               std::span<const std::int64_t> cells, std::vector<int> of_variables,
                               std::vector<std::vector<double>> without_family,
                               std::vector<std::uint8_t> set_by_intervention)
    : codes(std::move(of_rows)),
      levels(std::move(of_variables)),
      laws(std::move(without_family)),
      intervened(std::move(set_by_intervention)) {
    const std::size_t n = levels.size();
    refuse(n == 0 || codes.size() % n != 0 || cells.size() != codes.size() || laws.size() != n ||
               (!intervened.empty() && intervened.size() != codes.size()),
           "Codes, cells, levels, laws and interventions must be of one table.");
    for (std::size_t i = 0; i < codes.size(); ++i) {
        refuse(codes[i] >= levels[i % n], "A code must be that of a level.");
    }
    for (std::size_t v = 0; v < n; ++v) {
        refuse(!laws[v].empty() && laws[v].size() != static_cast<std::size_t>(levels[v]),
               "A law must have a log probability for each level.");
    }
    const auto last = std::max_element(cells.begin(), cells.end());
    refuse(last != cells.end() && *last >= static_cast<std::int64_t>(cells.size()),
           "Cells must be numbered 0, 1, 2, ...");
    std::vector<std::vector<Place>> places(
        last == cells.end() ? 0 : static_cast<std::size_t>(*last + 1));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i] < 0) continue;
        places[static_cast<std::size_t>(cells[i])].push_back({i / n, static_cast<int>(i % n)});
    }
    std::vector<Unknowns> by_row(rows());
    std::vector<Unknowns> copied;
    for (std::vector<Place>& of_cell : places) {
        if (of_cell.size() == 1) {
            by_row[of_cell[0].row].places.push_back(of_cell[0]);
            continue;
        }
        Unknowns one{std::move(of_cell), true, true};
        for (const Place& place : one.places) {
            refuse(levels[static_cast<std::size_t>(place.variable)] !=
                       levels[static_cast<std::size_t>(one.places[0].variable)],
                   "A value that stands in several columns must have the same levels there.");
            one.has_law &= !laws[static_cast<std::size_t>(place.variable)].empty();
        }
        if (!one.places.empty()) copied.push_back(std::move(one));
    }
    for (Unknowns& of_row : by_row) {
        if (!of_row.places.empty()) unknowns.push_back(std::move(of_row));
    }
    for (Unknowns& one : copied) unknowns.push_back(std::move(one));
}

}  // namespace arcwise
