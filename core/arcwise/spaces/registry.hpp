// Spaces by name. Each enters itself where it is defined, so nothing else has to list them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arcwise/spaces/space.hpp"
#include "arcwise/sums/score_sums.hpp"

namespace arcwise {

// What a space is asked to be.
struct SpaceSettings {
    // How often each kind of move is tried, in any unit; kinds left out are not made. None at all:
    // as the table of the space says.
    std::map<std::string, double> moves = {};
    // Such as the size of a bucket.
    std::map<std::string, std::int64_t> numbers = {};
    // By node those that come before it, as bits.
    std::map<std::string, std::vector<std::uint64_t>> orders = {};

    // Throws `argument` unless it is there and fits.
    int number(const std::string& name) const;
    const std::vector<std::uint64_t>& order(const std::string& name) const;
};

struct SpaceEntry {
    std::string name;

    // The table of moves for a number of nodes.
    MoveTable (*moves)(int nodes);

    std::shared_ptr<const Space> (*build)(std::shared_ptr<const ScoreSums> sums,
                                          const SpaceSettings& settings, const MoveShares& shares);

    // Numbers that are best chosen by the model, where the settings leave them open.
    std::map<std::string, std::int64_t> (*usual)(const ScoreSums& sums) = nullptr;
};

// Enters a space; one variable of this class for each, at the end of its file.
class SpaceRegistration {
  public:
    explicit SpaceRegistration(SpaceEntry entry);
};

// All that have entered, by name; and one, for which it throws `argument` if there is none.
std::vector<std::string> space_names();
const SpaceEntry& space_entry(const std::string& name);

// Builds a space, with what its settings leave open as it is best.
std::shared_ptr<const Space> build_space(const std::string& name,
                                         std::shared_ptr<const ScoreSums> sums,
                                         SpaceSettings settings);

}  // namespace arcwise
