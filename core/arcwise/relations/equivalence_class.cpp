// Components of a class, counted and directed source by source.
#include "arcwise/relations/equivalence_class.hpp"

#include <algorithm>
#include <bit>

#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

constexpr std::size_t most_members = 64;
constexpr std::size_t most_counts = 4096;

std::size_t first_of(std::uint64_t set) { return static_cast<std::size_t>(std::countr_zero(set)); }

}  // namespace

EquivalenceClass::EquivalenceClass(int nodes)
    : nodes_(static_cast<std::size_t>(nodes)),
      words_(words_for(nodes)),
      reversible_(Relation::reversible, nodes, 0) {}

bool EquivalenceClass::look_at(const std::uint64_t* parents) {
    size_ = 1.0;
    too_many_ = false;
    find_components(reversible_.of(parents));
    for (Component& component : components_) {
        if (too_many_) break;
        const std::size_t members = component.members.size();
        size_ *= count(component, ~Set{0} >> (most_members - members));
    }
    return !too_many_;
}

void EquivalenceClass::find_components(const std::uint64_t* neighbours) {
    components_.clear();
    std::vector<std::uint64_t> seen(words_, 0);
    std::vector<std::uint64_t> found(words_);
    std::vector<int> open;
    for (std::size_t node = 0; node < nodes_; ++node) {
        if (has_member(seen.data(), node)) continue;
        if (count_members(neighbours + node * words_, words_) == 0) continue;
        std::fill(found.begin(), found.end(), 0);
        put_member(found.data(), node);
        open.assign(1, static_cast<int>(node));
        while (!open.empty()) {
            const auto next = static_cast<std::size_t>(open.back());
            open.pop_back();
            for_each_member(neighbours + next * words_, words_, [&](int other) {
                if (has_member(found.data(), other)) return;
                put_member(found.data(), other);
                open.push_back(other);
            });
        }
        Component& component = components_.emplace_back();
        for_each_member(found.data(), words_, [&](int member) {
            component.members.push_back(member);
            put_member(seen.data(), member);
        });
        if (component.members.size() > most_members) {
            too_many_ = true;
            return;
        }
        component.joined.assign(component.members.size(), 0);
        for (std::size_t i = 0; i < component.members.size(); ++i) {
            for (std::size_t j = 0; j < component.members.size(); ++j) {
                const auto from = static_cast<std::size_t>(component.members[i]);
                if (has_member(neighbours + from * words_, component.members[j])) {
                    component.joined[i] |= Set{1} << j;
                }
            }
        }
    }
}

bool EquivalenceClass::is_tree(const Component& component, Set set) const {
    std::size_t ends = 0;
    for (Set left = set; left != 0; left &= left - 1) {
        ends += static_cast<std::size_t>(std::popcount(component.joined[first_of(left)] & set));
    }
    return ends == 2 * (static_cast<std::size_t>(std::popcount(set)) - 1);
}

bool EquivalenceClass::is_clique(const Component& component, Set set) const {
    for (Set left = set; left != 0; left &= left - 1) {
        const std::size_t member = first_of(left);
        if ((set & ~component.joined[member]) != Set{1} << member) return false;
    }
    return true;
}

void EquivalenceClass::direct(const Component& component, Set set, std::size_t source,
                              std::vector<Set>& parents, std::vector<Set>& loose) const {
    const std::size_t members = component.members.size();
    parents.assign(members, 0);
    loose.assign(members, 0);
    for (Set left = set; left != 0; left &= left - 1) {
        const std::size_t member = first_of(left);
        loose[member] = component.joined[member] & set;
    }
    const auto point = [&](std::size_t from, std::size_t to) {
        parents[to] |= Set{1} << from;
        loose[from] &= ~(Set{1} << to);
        loose[to] &= ~(Set{1} << from);
    };
    for (Set left = loose[source]; left != 0; left &= left - 1) point(source, first_of(left));
    // Away from parents that the other end is not joined to, or it would have two that are not.
    for (bool changed = true; changed;) {
        changed = false;
        for (Set left = set; left != 0; left &= left - 1) {
            const std::size_t from = first_of(left);
            for (Set others = loose[from]; others != 0; others &= others - 1) {
                const std::size_t to = first_of(others);
                if ((parents[from] & ~component.joined[to]) == 0) continue;
                point(from, to);
                changed = true;
            }
        }
    }
}

auto EquivalenceClass::connected(const std::vector<Set>& loose, std::size_t first) -> Set {
    Set found = Set{1} << first;
    Set open = found;
    while (open != 0) {
        const std::size_t member = first_of(open);
        open &= open - 1;
        const Set fresh = loose[member] & ~found;
        found |= fresh;
        open |= fresh;
    }
    return found;
}

double EquivalenceClass::count(Component& component, Set set) {
    const auto members = static_cast<std::size_t>(std::popcount(set));
    if (is_tree(component, set)) return static_cast<double>(members);
    if (is_clique(component, set)) {
        double product = 1.0;
        for (std::size_t i = 2; i <= members; ++i) product *= static_cast<double>(i);
        return product;
    }
    if (const auto known = component.counts.find(set); known != component.counts.end()) {
        return known->second;
    }
    too_many_ = too_many_ || component.counts.size() >= most_counts;
    double sum = 0.0;
    for (Set left = set; left != 0 && !too_many_; left &= left - 1) {
        sum += count_from(component, set, first_of(left));
    }
    component.counts[set] = sum;
    return sum;
}

double EquivalenceClass::count_from(Component& component, Set set, std::size_t source) {
    std::vector<Set> parents;
    std::vector<Set> loose;
    direct(component, set, source, parents, loose);
    double product = 1.0;
    Set seen = 0;
    for (Set left = set; left != 0; left &= left - 1) {
        const std::size_t member = first_of(left);
        if (loose[member] == 0 || (seen >> member & 1) != 0) continue;
        const Set part = connected(loose, member);
        seen |= part;
        product *= count(component, part);
    }
    return product;
}

void EquivalenceClass::draw(Random& random, std::uint64_t* parents) {
    for (Component& component : components_) {
        const std::size_t members = component.members.size();
        for (std::size_t member = 0; member < members; ++member) {
            std::uint64_t* row =
                parents + static_cast<std::size_t>(component.members[member]) * words_;
            for (Set loose = component.joined[member]; loose != 0; loose &= loose - 1) {
                remove_member(row, component.members[first_of(loose)]);
            }
        }
        draw_within(component, ~Set{0} >> (most_members - members), random, parents);
    }
}

void EquivalenceClass::draw_within(Component& component, Set set, Random& random,
                                   std::uint64_t* parents) {
    const auto members = static_cast<std::size_t>(std::popcount(set));
    std::size_t index = 0;
    if (is_tree(component, set) || is_clique(component, set)) {
        index = random.below(members);
    } else {
        shares_.clear();
        for (Set left = set; left != 0; left &= left - 1) {
            shares_.push_back(count_from(component, set, first_of(left)));
        }
        index = random.choose(shares_);
    }
    std::vector<Set> directed;
    std::vector<Set> loose;
    direct(component, set, static_cast<std::size_t>(member_at(&set, index)), directed, loose);
    Set seen = 0;
    for (Set left = set; left != 0; left &= left - 1) {
        const std::size_t member = first_of(left);
        std::uint64_t* row = parents + static_cast<std::size_t>(component.members[member]) * words_;
        for (Set own = directed[member]; own != 0; own &= own - 1) {
            put_member(row, component.members[first_of(own)]);
        }
        if (loose[member] == 0 || (seen >> member & 1) != 0) continue;
        const Set part = connected(loose, member);
        seen |= part;
        draw_within(component, part, random, parents);
    }
}

}  // namespace arcwise
