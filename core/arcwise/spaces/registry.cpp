// The list of spaces, and how the settings of one become a space.
#include "arcwise/spaces/registry.hpp"

#include <limits>

#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Made when the first space enters, whichever that is.
std::map<std::string, SpaceEntry>& entries() {
    static std::map<std::string, SpaceEntry> all;
    return all;
}

template <class Items, class Name>
std::string listed(const Items& items, Name name) {
    std::string result;
    for (const auto& item : items) result += (result.empty() ? "" : ", ") + std::string(name(item));
    return result;
}

}  // namespace

int SpaceSettings::number(const std::string& name) const {
    const auto found = numbers.find(name);
    if (found == numbers.end() || found->second < std::numeric_limits<int>::min() ||
        found->second > std::numeric_limits<int>::max()) {
        throw Error(ErrorKind::argument, "The space needs a number for " + name + ".");
    }
    return static_cast<int>(found->second);
}

const std::vector<std::uint64_t>& SpaceSettings::order(const std::string& name) const {
    const auto found = orders.find(name);
    if (found == orders.end()) {
        throw Error(ErrorKind::argument, "The space needs an order for " + name + ".");
    }
    return found->second;
}

SpaceRegistration::SpaceRegistration(SpaceEntry entry) { entries()[entry.name] = std::move(entry); }

std::vector<std::string> space_names() {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries()) names.push_back(name);
    return names;
}

const SpaceEntry& space_entry(const std::string& name) {
    const auto found = entries().find(name);
    if (found == entries().end()) {
        throw Error(ErrorKind::argument,
                    "There is no space " + name + "; give one of " +
                        listed(entries(), [](const auto& item) { return item.first; }) + ".");
    }
    return found->second;
}

std::shared_ptr<const Space> build_space(const std::string& name,
                                         std::shared_ptr<const ScoreSums> sums,
                                         SpaceSettings settings) {
    const SpaceEntry& entry = space_entry(name);
    const MoveTable table = entry.moves(sums->nodes());
    MoveShares shares;
    if (!settings.moves.empty()) {
        for (const MoveTable::Kind& kind : table.kinds()) {
            const auto asked = settings.moves.extract(kind.name);
            shares.push_back(asked.empty() ? 0.0 : asked.mapped());
        }
        if (!settings.moves.empty()) {
            throw Error(ErrorKind::argument,
                        "The space " + name + " has no move " + settings.moves.begin()->first +
                            "; it has " +
                            listed(table.kinds(), [](const auto& kind) { return kind.name; }) +
                            ".");
        }
    }
    if (entry.usual != nullptr) settings.numbers.merge(entry.usual(*sums));
    const auto built = entry.build(sums, settings, shares);
    built->set_make_again([&entry, sums, settings](const MoveShares& others) {
        return entry.build(sums, settings, others);
    });
    return built;
}

}  // namespace arcwise
