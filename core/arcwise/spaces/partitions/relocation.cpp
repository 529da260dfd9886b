// Relocation of one node: a draw from its law given the partition of the others.
//
// The node is put into one of the parts left, or into a part of its own in one of the gaps around
// them, in proportion to the weight of the partition. With the parts left numbered from 0, place 2i
// is the gap before part i and place 2i + 1 is in part i.
//
// Nearly all nodes have the moved one as an outside parent. What its place makes of their sums is a
// factor, and the factors of a part are multiplied: one logarithm a part, not one a node.
#include <algorithm>
#include <array>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

using Word = Partition::Word;

// How a node in one of the parts left can see the node that is moved: not before it, further
// before, in the part before, or alone right before.
enum Way { not_before, before, in_part_before, alone_before, ways };

class Relocation final : public Move {
  public:
    explicit Relocation(Partition& partition)
        : now_(partition),
          sums_(partition.sums()),
          words_(partition.words()),
          some_sets_((5 * partition.nodes() + 2) * 2 * words_),
          ways_(partition.nodes()),
          part_ways_(partition.nodes()),
          products_(partition.nodes() * ways),
          logarithms_(products_.size()),
          entries_(partition.nodes() * partition.nodes()),
          own_(partition.nodes() + 1),
          later_(partition.nodes() + 2),
          scratch_(2 * words_) {
        const ScoreSums& sums = now_.weights().sums();
        for (int node = 0; node < sums.nodes(); ++node) {
            for (int parent = 0; parent < sums.nodes(); ++parent) {
                entries_of(parent)[node] =
                    now_.incremental(node).outside_entry(sums.place(node, parent));
            }
        }
    }

    Proposal propose(const Temperature& temperature, Random& random) override;

  private:
    struct Moved {
        int node;
        int home;    // its part
        bool alone;  // whether that goes with it
    };
    Way way_now(const Moved& moved, int part) const;
    void set_without(const Moved& moved, int node, Word* sets) const;
    void ask_ways(const Moved& moved, int node, Way now, bool first);
    bool pass_rows(const Moved& moved, int node, Way now, bool first);
    bool pass_outside(const Moved& moved, int node, Way now, bool first,
                      IncrementalSums::Passed& sums);
    bool pass_inside(const Moved& moved, int node, Way now, bool first,
                     IncrementalSums::Passed& sums);
    // The sums of a node in each way, with the moved one an outside parent of it, by plain numbers
    // in the same units as they are now; and what they are multiplied by.
    struct Factors {
        std::array<double, ways> numbers;
        double to_factor;
        double unit;
    };
    bool find_factors(int node, std::uint32_t entry, Way now, Factors& factors);
    LogWeight weight_then(const Moved& moved, int node, Way now, Way then);
    void multiply(std::size_t part, const Factors& factors);
    void weigh_ways(const Moved& moved);
    void join_ways();
    void ask_own(const Moved& moved);
    bool own_from_rows(const Moved& moved, std::size_t count);
    void relocate(const Moved& moved, std::size_t place);

    // The part of another node among those left.
    int part_left(const Moved& moved, int node) const {
        const int part = now_.part_of(node);
        return part - (moved.alone && part > moved.home ? 1 : 0);
    }
    LogWeight impossible(int node) const { return {now_.weights().stand_in(node), 1}; }

    // Room for sets until the next proposal.
    Word* new_sets(std::size_t count = 1) {
        Word* made = some_sets_.data() + sets_made_ * 2 * words_;
        sets_made_ += count;
        return made;
    }
    Word* own_sets(std::size_t part) { return own_sets_ + part * 2 * words_; }
    std::uint32_t* entries_of(int parent) {
        return entries_.data() + static_cast<std::size_t>(parent) * now_.nodes();
    }

    Partition& now_;
    PartSums& sums_;
    const std::size_t words_;
    std::vector<Word> some_sets_;  // for as many nodes as there can be
    std::size_t sets_made_ = 0;

    // The weights of nodes in each way, where they are not all the same; their sums by part left;
    // the moved node's own weight by the number of parts before it; the weight of all by place.
    std::vector<int> seeing_;
    std::vector<std::array<LogWeight, ways>> ways_;
    std::vector<std::array<LogWeight, ways>> part_ways_;
    std::vector<double> products_;        // of factors, by part and way
    std::vector<double> logarithms_;      // of such products
    std::vector<std::uint32_t> entries_;  // of each node among the outside parents of each; 0: none
    std::vector<LogWeight> own_;
    Word* own_sets_ = nullptr;
    std::vector<LogWeight> later_;
    std::vector<double> choices_;
    std::vector<int> joined_nodes_;
    std::vector<double> joined_;
    std::vector<double> added_;
    std::vector<double> own_numbers_;
    std::vector<double> own_units_;
    std::vector<Word> scratch_;  // sets of one node
};

Way Relocation::way_now(const Moved& moved, int part) const {
    if (part <= moved.home) return not_before;
    if (part > moved.home + 1) return before;
    return moved.alone ? alone_before : in_part_before;
}

// The sets of a node with the moved one nowhere.
void Relocation::set_without(const Moved& moved, int node, Word* sets) const {
    now_.copy_sets(now_.sets(node), sets);
    const int part = now_.part_of(node);
    if (part > moved.home) now_.flip_allowed(sets, node, moved.node);
    if (part != moved.home + 1) return;
    if (moved.alone) {
        now_.need(moved.home - 1, sets, node);
    } else {
        now_.flip_needed(sets, node, moved.node);
    }
}

// Asks for the weights of a node that the moved one's place can matter to.
void Relocation::ask_ways(const Moved& moved, int node, Way now, bool first) {
    auto& weights = ways_[static_cast<std::size_t>(node)];
    const auto ask = [&](Way way, PartSets sets) {
        if (way != now) sums_.ask(node, sets, first && way == not_before, weights[way]);
    };
    weights[now] = now_.weight_of(node);
    if (pass_rows(moved, node, now, first)) return;
    Word* without = new_sets();
    set_without(moved, node, without);
    ask(not_before, without);
    if (!now_.space().can_be_parent(moved.node, node)) {
        ask(before, without);
        ask(in_part_before, without);
        weights[alone_before] = impossible(node);
        return;
    }
    Word* with = new_sets();
    now_.copy_sets(without, with);
    now_.flip_allowed(with, node, moved.node);
    if (!first) {  // nothing but the moved node alone can come before the first part
        ask(before, with);
        if (now != in_part_before && !now_.weights().sums()[node].tabulated()) {
            joined_nodes_.push_back(node);
        } else {
            Word* among = new_sets();
            now_.copy_sets(with, among);
            now_.flip_needed(among, node, moved.node);
            ask(in_part_before, among);
        }
    }
    Word* only = new_sets();
    now_.copy_sets(with, only);
    now_.need_none(only);
    now_.flip_needed(only, node, moved.node);
    ask(alone_before, only);
}

// The same from rows, which give all ways for little more than one of them.
bool Relocation::pass_rows(const Moved& moved, int node, Way now, bool first) {
    if (!now_.incremental(node).by_rows()) return false;
    if (now_.weights().sums().place(node, moved.node) < 0) return false;
    const std::uint32_t entry = entries_of(moved.node)[node];
    IncrementalSums::Passed sums;
    const bool passed = entry != 0 ? pass_outside(moved, node, now, first, sums)
                                   : pass_inside(moved, node, now, first, sums);
    if (!passed) return false;
    auto& weights = ways_[static_cast<std::size_t>(node)];
    PlainWeights& plain = now_.plain_weights();
    const auto ask = [&](Way way, double number, double unit) {
        if (way != now) plain.ask(node, number, unit, weights[way]);
    };
    ask(not_before, sums.without, sums.unit);
    if (!first) {
        ask(before, sums.with, sums.unit_with);
        ask(in_part_before, sums.either, sums.unit_with);
    }
    ask(alone_before, sums.alone, sums.unit_with);
    return true;
}

bool Relocation::pass_outside(const Moved& moved, int node, Way now, bool first,
                              IncrementalSums::Passed& sums) {
    using Seen = IncrementalSums::Seen;
    const IncrementalSums& own = now_.incremental(node);
    const std::uint32_t entry = entries_of(moved.node)[node];
    if (now == alone_before) {
        set_without(moved, node, scratch_.data());
        const IncrementalSums::Known without =
            own.known(scratch_.data(), now_.required(scratch_.data(), first));
        return without.digits && own.pass_outside(without, entry, Seen::nowhere, sums);
    }
    const Seen seen = now == not_before ? Seen::nowhere
                      : now == before   ? Seen::allowed
                                        : Seen::required;
    const IncrementalSums::Known& known = now_.known(node);
    return known.digits && own.pass_outside(known, entry, seen, sums);
}

bool Relocation::pass_inside(const Moved& moved, int node, Way now, bool first,
                             IncrementalSums::Passed& sums) {
    const IncrementalSums& own = now_.incremental(node);
    set_without(moved, node, scratch_.data());
    const PartSets required = now_.required(scratch_.data(), first);
    const IncrementalSums::Known without =
        now == not_before ? now_.known(node) : own.known(scratch_.data(), required);
    now_.flip_allowed(scratch_.data(), node, moved.node);
    const IncrementalSums::Known with =
        now == before ? now_.known(node) : own.known(scratch_.data(), required);
    return own.pass_inside(without, with, sums);
}

// As IncrementalSums::pass_outside has it, but for nodes that the moved one is alone before. Not
// where factors are so far from 1 that their products could be no numbers.
bool Relocation::find_factors(int node, std::uint32_t entry, Way now, Factors& factors) {
    constexpr double farthest_factor = 0x1p400;
    if (entry == 0 || now == alone_before) return false;
    const IncrementalSums::Known& known = now_.known(node);
    if (!known.digits) return false;
    const auto [all, meeting] = now_.incremental(node).additions(known, entry);
    // What the moved one adds now.
    const double added = now == not_before ? 0.0 : now == before ? meeting : all;
    const double without = known.met - added;
    const double highest = now == not_before ? known.whole + all : known.whole;
    const double least = now == not_before ? without + meeting : without;
    factors.numbers = {without, without + meeting, without + all, all};
    factors.numbers[now] = known.met;
    factors.to_factor = 1.0 / known.met;
    factors.unit = known.unit;
    return IncrementalSums::has_digits(all) && IncrementalSums::has_digits(least, highest) &&
           std::min(without, all) * farthest_factor > known.met &&
           without + all < farthest_factor * known.met;
}

void Relocation::multiply(std::size_t part, const Factors& factors) {
    constexpr double small = 0x1p-400;
    constexpr double large = 0x1p400;
    for (std::size_t way = 0; way < ways; ++way) {
        double& product = products_[part * ways + way];
        product *= factors.numbers[way] * factors.to_factor;
        if (product < small || product > large) {
            logarithms_[part * ways + way] += log_kernel(product, 0.0);
            product = 1.0;
        }
    }
}

// The weight of a node that the moved one can be a parent of, or was alone before.
LogWeight Relocation::weight_then(const Moved& moved, int node, Way now, Way then) {
    Factors factors;
    if (find_factors(node, entries_of(moved.node)[node], now, factors)) {
        return {log_kernel(factors.numbers[then], factors.unit), 0};
    }
    return ways_[static_cast<std::size_t>(node)][then];
}

void Relocation::weigh_ways(const Moved& moved) {
    seeing_.clear();
    joined_nodes_.clear();
    const std::uint32_t* entries = entries_of(moved.node);
    Factors factors;
    std::size_t left = 0;
    for (int part = 0; part < now_.parts(); ++part) {
        if (moved.alone && part == moved.home) continue;
        const Way now = way_now(moved, part);
        std::fill_n(products_.data() + left * ways, ways, 1.0);
        std::fill_n(logarithms_.data() + left * ways, ways, 0.0);
        LogWeight others;
        LogWeight without_parents;
        for (const int node : now_.members(part)) {
            if (node == moved.node) continue;
            if (find_factors(node, entries[node], now, factors)) {
                multiply(left, factors);
                others = others + now_.weight_of(node);
                without_parents = without_parents + now_.weight_of(node);
            } else if (now == alone_before || now_.space().can_be_parent(moved.node, node)) {
                ask_ways(moved, node, now, left == 0);
                seeing_.push_back(node);
            } else {
                others = others + now_.weight_of(node);
                without_parents = without_parents + impossible(node);
            }
        }
        part_ways_[left++] = {others, others, others, without_parents};
    }
    add_logarithms(logarithms_.data(), products_.data(), left * ways);
    for (std::size_t part = 0; part < left; ++part) {
        for (std::size_t way = 0; way < ways; ++way) {
            part_ways_[part][way].value += logarithms_[part * ways + way];
        }
    }
    sums_.answer();
    join_ways();
    now_.plain_weights().answer();
    for (const int node : seeing_) {
        auto& sums = part_ways_[static_cast<std::size_t>(part_left(moved, node))];
        const auto& weights = ways_[static_cast<std::size_t>(node)];
        for (std::size_t way = 0; way < ways; ++way) sums[way] = sums[way] + weights[way];
    }
}

// With the moved node in the part before, a family that has a parent there either has the moved
// node or would do without it. Where there is no table, that saves one sum of three.
void Relocation::join_ways() {
    constexpr double zero = minus_infinity;
    const auto number = [](const LogWeight& weight) {
        return weight.impossible == 0 ? weight.value : zero;
    };
    joined_.clear();
    added_.clear();
    for (const int node : joined_nodes_) {
        const auto& weights = ways_[static_cast<std::size_t>(node)];
        joined_.push_back(number(weights[not_before]));
        added_.push_back(number(weights[alone_before]));
    }
    log_add_into(joined_.data(), added_.data(), joined_.size());
    for (std::size_t i = 0; i < joined_nodes_.size(); ++i) {
        const int node = joined_nodes_[i];
        ways_[static_cast<std::size_t>(node)][in_part_before] =
            joined_[i] > zero ? LogWeight{joined_[i], 0} : impossible(node);
    }
}

// The moved node's own weight is the same in a part and in the gap before it.
void Relocation::ask_own(const Moved& moved) {
    const auto left = static_cast<std::size_t>(now_.parts()) - (moved.alone ? 1u : 0u);
    own_sets_ = new_sets(left + 1);
    std::fill_n(own_sets_, (left + 1) * 2 * words_, 0);
    const std::vector<int>& possible = now_.weights().sums().possible_parents(moved.node);
    for (std::size_t place = 0; place < possible.size(); ++place) {
        const auto part = static_cast<std::size_t>(part_left(moved, possible[place]));
        put_member(own_sets(part + 1) + words_, place);
    }
    for (std::size_t part = 0; part <= left; ++part) {
        Word* sets = own_sets(part);
        for (std::size_t word = 0; word < words_ && part > 0; ++word) {
            sets[word] = own_sets(part - 1)[word] | sets[words_ + word];
        }
    }
    if (own_from_rows(moved, left + 1)) return;
    for (std::size_t part = 0; part <= left; ++part) {
        sums_.ask(moved.node, own_sets(part), part == 0, own_[part]);
    }
}

bool Relocation::own_from_rows(const Moved& moved, std::size_t count) {
    const IncrementalSums& own = now_.incremental(moved.node);
    if (!own.by_rows()) return false;
    own_numbers_.resize(count);
    own_units_.resize(count);
    if (!own.growing_sums(own_sets_, 2 * words_, count, own_numbers_.data(), own_units_.data())) {
        return false;
    }
    for (std::size_t part = 0; part < count; ++part) {
        now_.plain_weights().ask(moved.node, own_numbers_[part], own_units_[part], own_[part]);
    }
    return true;
}

Proposal Relocation::propose(const Temperature& temperature, Random& random) {
    const auto node = static_cast<int>(random.below(now_.nodes()));
    sets_made_ = 0;
    const int home = now_.part_of(node);
    const Moved moved{node, home, now_.size(home) == 1};
    const std::size_t left = static_cast<std::size_t>(now_.parts()) - (moved.alone ? 1 : 0);
    if (left == 0) return {.possible = false};
    ask_own(moved);
    weigh_ways(moved);

    // later_[i]: the parts from i on, the moved node before all of them and their neighbours.
    later_[left] = later_[left + 1] = {};
    for (std::size_t part = left; part-- > 0;) {
        later_[part] = later_[part + 1] + part_ways_[part][before];
    }
    choices_.resize(2 * left + 1);
    LogWeight earlier;
    double largest = minus_infinity;
    for (std::size_t place = 0; place < choices_.size(); ++place) {
        const bool gap = place % 2 == 0;
        if (!gap) earlier = earlier + part_ways_[place / 2][not_before];
        const std::size_t next = (place + 1) / 2;
        LogWeight total = earlier + own_[place / 2];
        if (next < left) {
            total =
                total + part_ways_[next][gap ? alone_before : in_part_before] + later_[next + 1];
        }
        choices_[place] = temperature.log_density(total);
        largest = std::max(largest, choices_[place]);
    }
    scaled_exp(choices_.data(), choices_.data(), largest, choices_.size());
    const std::size_t place = random.choose(choices_);
    const bool stays = place == 2 * static_cast<std::size_t>(home) + (moved.alone ? 0 : 1);
    if (stays) {
        now_.stay();
    } else {
        relocate(moved, place);
    }
    // A draw from the law given the others is always accepted: the ratio undoes the change.
    const double gained = temperature.log_density(now_.proposed_weight()) -
                          temperature.log_density(now_.log_weight());
    return now_.proposal(-gained);
}

void Relocation::relocate(const Moved& moved, std::size_t place) {
    const bool gap = place % 2 == 0;
    const std::size_t next = (place + 1) / 2;  // the part left that comes right after
    std::size_t left = 0;
    for (int part = 0; part < now_.parts(); ++part) {
        if (moved.alone && part == moved.home) continue;
        const Way now = way_now(moved, part);
        const Way way = left < next   ? not_before
                        : left > next ? before
                        : gap         ? alone_before
                                      : in_part_before;
        const int renumbered = static_cast<int>(left) + (gap && left >= next ? 1 : 0);
        for (const int node : now_.members(part)) {
            const auto at = static_cast<std::size_t>(node);
            now_.proposed_parts()[at] = renumbered;
            if (node == moved.node || way == now) continue;
            const bool possible = now_.space().can_be_parent(moved.node, node);
            if (!possible && now != alone_before && way != alone_before) continue;
            Word* changed = now_.begin_change(node, left == 0 && way == not_before);
            set_without(moved, node, changed);
            if (way != not_before) now_.flip_allowed(changed, node, moved.node);
            if (way == alone_before) now_.need_none(changed);
            if (way >= in_part_before) now_.flip_needed(changed, node, moved.node);
            now_.weigh_last_change(possible || now == alone_before
                                       ? weight_then(moved, node, now, way)
                                       : impossible(node));
        }
        ++left;
    }
    const auto part_then = static_cast<int>(place / 2);
    now_.proposed_parts()[static_cast<std::size_t>(moved.node)] = part_then;
    Word* changed = now_.begin_change(moved.node, part_then == 0);
    now_.copy_sets(own_sets(place / 2), changed);
    now_.weigh_last_change(own_[place / 2]);
}

}  // namespace

std::unique_ptr<Move> make_relocation(Partition& partition) {
    return std::make_unique<Relocation>(partition);
}

}  // namespace arcwise
