// Down-sets level by level: those of one size are those of the size before with one element more.
#include "arcwise/spaces/orders/downset_lattice.hpp"

#include <bit>
#include <string>
#include <unordered_map>
#include <utility>

#include "arcwise/support/error.hpp"

namespace arcwise {

std::vector<std::uint64_t> transitive_closure(std::vector<std::uint64_t> predecessors) {
    if (predecessors.size() > most_lattice_positions) {
        throw Error(ErrorKind::capacity,
                    "A partial order has " + std::to_string(predecessors.size()) +
                        " elements, and up to " + std::to_string(most_lattice_positions) +
                        " are possible; use a sequence of buckets, which may have more.");
    }
    for (std::size_t middle = 0; middle < predecessors.size(); ++middle) {
        for (std::uint64_t& before : predecessors) {
            if ((before >> middle & 1) != 0) before |= predecessors[middle];
        }
    }
    for (std::size_t position = 0; position < predecessors.size(); ++position) {
        if ((predecessors[position] >> position & 1) != 0) {
            throw Error(ErrorKind::argument, "A partial order puts element " +
                                                 std::to_string(position) +
                                                 " before itself; leave out a pair of the cycle.");
        }
    }
    return predecessors;
}

DownsetLattice::DownsetLattice(std::vector<std::uint64_t> predecessors, std::size_t most)
    : predecessors_(transitive_closure(std::move(predecessors))), sets_{0} {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // of one size only
    std::size_t level_end = 1;
    std::vector<std::size_t> leading_count(1, 0);
    for (std::size_t from = 0; from < sets_.size(); ++from) {
        if (from == level_end) {
            numbers.clear();
            level_end = sets_.size();
        }
        const std::uint64_t set = sets_[from];
        for (std::size_t element = 0; element < predecessors_.size(); ++element) {
            const std::uint64_t bit = std::uint64_t{1} << element;
            if ((set & bit) != 0 || (predecessors_[element] & ~set) != 0) continue;
            const auto [found, is_new] =
                numbers.emplace(set | bit, static_cast<std::uint32_t>(sets_.size()));
            if (is_new) {
                if (sets_.size() == most) {
                    throw Error(ErrorKind::capacity,
                                "A partial order has more than " + std::to_string(most) +
                                    " down-sets, one number for each of which would be kept; put "
                                    "more elements before others.");
                }
                sets_.push_back(set | bit);
                leading_count.push_back(0);
            }
            transitions_.push_back({static_cast<std::uint32_t>(from), found->second,
                                    static_cast<std::uint32_t>(element)});
            ++leading_count[found->second];
        }
    }
    first_leading_.assign(sets_.size() + 1, 0);
    for (std::size_t number = 0; number < sets_.size(); ++number) {
        first_leading_[number + 1] = first_leading_[number] + leading_count[number];
    }
    leading_.resize(transitions_.size());
    std::vector<std::size_t> next(first_leading_.begin(), first_leading_.end() - 1);
    for (std::size_t i = 0; i < transitions_.size(); ++i) {
        leading_[next[transitions_[i].to]++] = static_cast<std::uint32_t>(i);
    }
}

}  // namespace arcwise
