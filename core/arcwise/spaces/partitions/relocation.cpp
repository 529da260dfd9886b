// Relocation of one node: a draw from its law given the partition of the others.
//
// The moved node x is taken out, which leaves the other nodes in k parts P_0 to P_{k-1}, the parts
// left. It can be put into one of them or, as a part of its own, into a gap beside them:
//
//                P_0             P_1             P_2
//       |      { a  b }     |     { c }      |    { d  e }    |
//     gap 0     in P_0    gap 1  in P_1    gap 2   in P_2   gap 3
//   place 0        1        2       3        4        5       6
//
// so that gap i is place 2i and "in P_i" is place 2i + 1. A place is drawn in proportion to the
// weight of the partition with x there.
//
// Without x, a node v of P_j can have its parents in A = P_0 + ... + P_{j-1} and needs one of them
// in R = P_{j-1}; with j = 0 it can have none and needs none. Summed over v's families,
//   without = those within A that meet R,
//   meeting = those within A + x that hold x and meet R,
//   holding = those within A + x that hold x.
// These three give the sum of v for whatever x is to it (Role):
//   role        x is put                        sum of v
//   absent      in P_j, or after it             without
//   allowed     before P_{j-1}                  without + meeting
//   sufficient  in P_{j-1}                      without + holding
//   sole        in gap j, alone before P_j      holding
// Let absent_j and so on be the products of these sums over the v of P_j (1 for j = k), and own_i
// the sum over the families of x within P_0 + ... + P_{i-1} that meet P_{i-1}. The weights are
//   gap i:   absent_0 .. absent_{i-1} * own_i * sole_i * allowed_{i+1} .. allowed_{k-1}
//   in P_i:  absent_0 .. absent_i * own_i * sufficient_{i+1} * allowed_{i+2} .. allowed_{k-1}
//
// For example, let every set be a family of weight 1, and P_0 = {a} and P_1 = {b} be left. For a,
// `without` is the weight of the empty family and `holding` that of {x}; for b, `without` is that
// of {a}, `meeting` that of {a, x}, and `holding` those of {x} and {a, x}. As for x itself, own_0 =
// 1 (the empty family), own_1 = 1 ({a}) and own_2 = 2 ({b} and {a, b}).
//
//          without  meeting  holding     absent  allowed  sufficient  sole
//      a      1                 1           1                           1
//      b      1        1        2           1       2          3        2
//
//   place    0             1           2             3           4
//            {x} {a} {b}   {a x} {b}   {a} {x} {b}   {a} {b x}   {a} {b} {x}
//   weight   1 * 1 * 2     1 * 1 * 3   1 * 1 * 2     1 * 1 * 1   1 * 1 * 2
//
// These are the numbers of DAGs of the five partitions, so x goes to place 0 with probability 2/10.
//
// Most nodes have x as an outside parent: then the sum for another role is the present one times a
// factor, and the factors of a part are multiplied, which takes one logarithm a part, not one a
// node.
#include <algorithm>
#include <array>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

using enum Role;
using Word = Partition::Word;

// The role of the moved node at a place for the nodes of a part left.
Role role_at(std::size_t place, std::size_t part) {
    const std::size_t next = (place + 1) / 2;  // the part right after the place
    if (part < next) return absent;
    if (part > next) return allowed;
    return place % 2 == 0 ? sole : sufficient;
}

// The moved node x.
struct Moved {
    int node;
    int home;    // its part
    bool alone;  // whether that goes with it

    std::size_t place() const { return 2 * static_cast<std::size_t>(home) + (alone ? 0 : 1); }
};

// The sums of a node for each role of x as plain numbers, in units of e^unit; and what turns them
// into factors of the present sum.
struct Factors {
    ByRole<double> numbers;
    double to_factor;
    double unit;
};

// What one proposal writes and reads again. It is kept for its memory alone.
struct Scratch {
    Scratch(std::size_t nodes, std::size_t words)
        : stride(2 * words),
          sets((5 * nodes + 2) * stride),
          set(stride),
          of_node(nodes),
          of_part(nodes),
          products(nodes * roles),
          logarithms(nodes * roles),
          own(nodes + 1),
          allowed_from(nodes + 2) {}

    // Sets that stay until the next proposal.
    Word* new_sets(std::size_t count = 1) {
        Word* made = sets.data() + sets_made * stride;
        sets_made += count;
        return made;
    }
    Word* own_sets(std::size_t part) { return first_own_sets + part * stride; }

    std::size_t stride;      // of sets, in words
    std::vector<Word> sets;  // for as many nodes as there can be
    std::size_t sets_made = 0;
    std::vector<Word> set;  // of one node

    // Weights by role: of the nodes that are weighed one by one, and of the parts left.
    std::vector<int> one_by_one;
    std::vector<ByRole<LogWeight>> of_node;
    std::vector<ByRole<LogWeight>> of_part;
    // By part and role, a product of factors, and the logarithm of those taken out of it before.
    std::vector<double> products;
    std::vector<double> logarithms;
    // The nodes whose sum for `sufficient` is `without` + `holding`, and these two.
    std::vector<int> joined;
    std::vector<double> log_without;
    std::vector<double> log_holding;

    // By i, ln own_i; the sets of x there; and own_i as plain numbers with their units.
    std::vector<LogWeight> own;
    Word* first_own_sets = nullptr;
    std::vector<double> own_numbers;
    std::vector<double> own_units;

    std::vector<LogWeight> allowed_from;  // by i, ln of allowed_i ... allowed_{k-1}
    std::vector<double> choices;          // by place
};

class Relocation final : public Move {
  public:
    explicit Relocation(Partition& partition)
        : now_(partition),
          sums_(partition.sums()),
          words_(partition.words()),
          entries_(partition.nodes() * partition.nodes()),
          scratch_(partition.nodes(), words_) {
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
    // Ask for ln own_i for all i, which are there after weigh_others, as are the weights of_part.
    void ask_own(const Moved& moved, Scratch& scratch);
    bool ask_own_by_rows(const Moved& moved, std::size_t count, Scratch& scratch);
    void weigh_others(const Moved& moved, Scratch& scratch);
    // Asks for the weights of a node for each role, where x now has the role `now`; for `first`, a
    // node of P_0, x is absent or sole. They are there once sums, joins and plain weights are
    // answered.
    void ask_roles(const Moved& moved, int node, Role now, bool first, Scratch& scratch);
    bool ask_roles_by_rows(const Moved& moved, int node, Role now, bool first, Scratch& scratch);
    bool pass_outside(const Moved& moved, int node, Role now, bool first, Word* set,
                      RoleSums& sums);
    bool pass_inside(const Moved& moved, int node, Role now, bool first, Word* set, RoleSums& sums);
    void join(Scratch& scratch);
    bool find_factors(int node, std::uint32_t entry, Role now, Factors& factors);
    static void multiply(const Factors& factors, double* products, double* logarithms);
    // Fills the choices by place, relative to the most probable one.
    void weigh_places(std::size_t left, const Temperature& temperature, Scratch& scratch) const;
    void relocate(const Moved& moved, std::size_t place, Scratch& scratch);
    LogWeight weight_then(const Moved& moved, int node, Role now, Role then,
                          const Scratch& scratch);
    void copy_sets_without(const Moved& moved, int node, Word* sets) const;

    // Calls visit(left, part) for each part left, by its number among them and by that it has now.
    template <class Visit>
    void for_each_part_left(const Moved& moved, Visit visit) const {
        std::size_t left = 0;
        for (int part = 0; part < now_.parts(); ++part) {
            if (!(moved.alone && part == moved.home)) visit(left++, part);
        }
    }
    // The part of another node among those left.
    std::size_t part_left(const Moved& moved, int node) const {
        const int part = now_.part_of(node);
        return static_cast<std::size_t>(part - (moved.alone && part > moved.home ? 1 : 0));
    }
    LogWeight impossible(int node) const { return {now_.weights().stand_in(node), 1}; }
    // By node, the entry of a parent in its rows, or 0 where it is no outside parent.
    std::uint32_t* entries_of(int parent) {
        return entries_.data() + static_cast<std::size_t>(parent) * now_.nodes();
    }

    Partition& now_;
    PartSums& sums_;
    const std::size_t words_;
    std::vector<std::uint32_t> entries_;
    Scratch scratch_;
};

Proposal Relocation::propose(const Temperature& temperature, Random& random) {
    const auto node = static_cast<int>(random.below(now_.nodes()));
    const int home = now_.part_of(node);
    const Moved moved{node, home, now_.size(home) == 1};
    const std::size_t left = static_cast<std::size_t>(now_.parts()) - (moved.alone ? 1 : 0);
    if (left == 0) return {.possible = false};
    Scratch& scratch = scratch_;
    scratch.sets_made = 0;
    ask_own(moved, scratch);
    weigh_others(moved, scratch);
    weigh_places(left, temperature, scratch);
    const std::size_t place = random.choose(scratch.choices);
    if (place == moved.place()) {
        now_.stay();
    } else {
        relocate(moved, place, scratch);
    }
    // A draw from the law given the others is always accepted: the ratio undoes the change.
    const double gained = temperature.log_density(now_.proposed_weight()) -
                          temperature.log_density(now_.log_weight());
    return now_.proposal(-gained);
}

void Relocation::weigh_places(std::size_t left, const Temperature& temperature,
                              Scratch& scratch) const {
    std::vector<LogWeight>& allowed_from = scratch.allowed_from;
    allowed_from[left] = allowed_from[left + 1] = {};
    for (std::size_t part = left; part-- > 0;) {
        allowed_from[part] = allowed_from[part + 1] + scratch.of_part[part][allowed];
    }
    std::vector<double>& choices = scratch.choices;
    choices.resize(2 * left + 1);
    LogWeight absent_before;  // the product of absent_j over the parts before the place
    double largest = minus_infinity;
    for (std::size_t place = 0; place < choices.size(); ++place) {
        const bool gap = place % 2 == 0;
        if (!gap) absent_before = absent_before + scratch.of_part[place / 2][absent];
        const std::size_t next = (place + 1) / 2;
        LogWeight total = absent_before + scratch.own[place / 2];
        if (next < left) {
            total = total + scratch.of_part[next][gap ? sole : sufficient] + allowed_from[next + 1];
        }
        choices[place] = temperature.log_density(total);
        largest = std::max(largest, choices[place]);
    }
    scaled_exp(choices.data(), choices.data(), largest, choices.size());
}

// own_i is the same in P_i and in the gap before it.
void Relocation::ask_own(const Moved& moved, Scratch& scratch) {
    const auto left = static_cast<std::size_t>(now_.parts()) - (moved.alone ? 1u : 0u);
    scratch.first_own_sets = scratch.new_sets(left + 1);
    std::fill_n(scratch.first_own_sets, (left + 1) * scratch.stride, 0);
    const std::vector<int>& possible = now_.weights().sums().possible_parents(moved.node);
    for (std::size_t place = 0; place < possible.size(); ++place) {
        const std::size_t part = part_left(moved, possible[place]);
        put_member(scratch.own_sets(part + 1) + words_, place);
    }
    for (std::size_t part = 0; part <= left; ++part) {
        Word* sets = scratch.own_sets(part);
        for (std::size_t word = 0; word < words_ && part > 0; ++word) {
            sets[word] = scratch.own_sets(part - 1)[word] | sets[words_ + word];
        }
    }
    if (ask_own_by_rows(moved, left + 1, scratch)) return;
    for (std::size_t part = 0; part <= left; ++part) {
        sums_.ask(moved.node, scratch.own_sets(part), part == 0, scratch.own[part]);
    }
}

bool Relocation::ask_own_by_rows(const Moved& moved, std::size_t count, Scratch& scratch) {
    const IncrementalSums& own = now_.incremental(moved.node);
    if (!own.by_rows()) return false;
    scratch.own_numbers.resize(count);
    scratch.own_units.resize(count);
    if (!own.growing_sums(scratch.first_own_sets, scratch.stride, count, scratch.own_numbers.data(),
                          scratch.own_units.data())) {
        return false;
    }
    for (std::size_t part = 0; part < count; ++part) {
        now_.plain_weights().ask(moved.node, scratch.own_numbers[part], scratch.own_units[part],
                                 scratch.own[part]);
    }
    return true;
}

void Relocation::weigh_others(const Moved& moved, Scratch& scratch) {
    scratch.one_by_one.clear();
    scratch.joined.clear();
    const std::uint32_t* entries = entries_of(moved.node);
    const std::size_t place_now = moved.place();
    std::size_t count = 0;
    Factors factors;
    for_each_part_left(moved, [&](std::size_t left, int part) {
        const Role now = role_at(place_now, left);
        double* products = scratch.products.data() + left * roles;
        double* logarithms = scratch.logarithms.data() + left * roles;
        std::fill_n(products, roles, 1.0);
        std::fill_n(logarithms, roles, 0.0);
        // Factors are relative to the weights as they are.
        LogWeight present;
        LogWeight present_if_sole;
        for (const int node : now_.members(part)) {
            if (node == moved.node) continue;
            if (find_factors(node, entries[node], now, factors)) {
                multiply(factors, products, logarithms);
                present = present + now_.weight_of(node);
                present_if_sole = present_if_sole + now_.weight_of(node);
            } else if (now == sole || now_.space().can_be_parent(moved.node, node)) {
                ask_roles(moved, node, now, left == 0, scratch);
                scratch.one_by_one.push_back(node);
            } else {
                present = present + now_.weight_of(node);
                present_if_sole = present_if_sole + impossible(node);
            }
        }
        scratch.of_part[left] = {present, present, present, present_if_sole};
        count = left + 1;
    });
    add_logarithms(scratch.logarithms.data(), scratch.products.data(), count * roles);
    for (std::size_t part = 0; part < count; ++part) {
        for (std::size_t role = 0; role < roles; ++role) {
            scratch.of_part[part].values[role].value += scratch.logarithms[part * roles + role];
        }
    }
    sums_.answer();
    join(scratch);
    now_.plain_weights().answer();
    for (const int node : scratch.one_by_one) {
        auto& of_part = scratch.of_part[part_left(moved, node)].values;
        const auto& of_node = scratch.of_node[static_cast<std::size_t>(node)].values;
        for (std::size_t role = 0; role < roles; ++role) {
            of_part[role] = of_part[role] + of_node[role];
        }
    }
}

// By differences from the present sum, as IncrementalSums::pass_outside takes them; false where x
// is no outside parent of the node or its `sole` one, where digits would be lost, and where factors
// are so far from 1 that their product could overflow.
bool Relocation::find_factors(int node, std::uint32_t entry, Role now, Factors& factors) {
    constexpr double farthest_factor = 0x1p400;
    if (entry == 0 || now == sole) return false;
    const IncrementalSums::Known& known = now_.known(node);
    if (!known.digits) return false;
    const auto [holding, meeting] = now_.incremental(node).holders(known, entry);
    const double added = now == absent ? 0.0 : now == allowed ? meeting : holding;
    const double without = known.met - added;
    const double highest = now == absent ? known.whole + holding : known.whole;
    const double least = now == absent ? without + meeting : without;
    factors.numbers = {without, without + meeting, without + holding, holding};
    factors.numbers[now] = known.met;
    factors.to_factor = 1.0 / known.met;
    factors.unit = known.unit;
    return IncrementalSums::has_digits(holding) && IncrementalSums::has_digits(least, highest) &&
           std::min(without, holding) * farthest_factor > known.met &&
           without + holding < farthest_factor * known.met;
}

void Relocation::multiply(const Factors& factors, double* products, double* logarithms) {
    constexpr double small = 0x1p-400;
    constexpr double large = 0x1p400;
    for (std::size_t role = 0; role < roles; ++role) {
        double& product = products[role];
        product *= factors.numbers.values[role] * factors.to_factor;
        if (product < small || product > large) {
            logarithms[role] += log_kernel(product, 0.0);
            product = 1.0;
        }
    }
}

void Relocation::ask_roles(const Moved& moved, int node, Role now, bool first, Scratch& scratch) {
    auto& weights = scratch.of_node[static_cast<std::size_t>(node)];
    const auto ask = [&](Role role, PartSets sets) {
        if (role != now) sums_.ask(node, sets, first && role == absent, weights[role]);
    };
    weights[now] = now_.weight_of(node);
    if (ask_roles_by_rows(moved, node, now, first, scratch)) return;
    Word* without = scratch.new_sets();
    copy_sets_without(moved, node, without);
    ask(absent, without);
    if (!now_.space().can_be_parent(moved.node, node)) {
        ask(allowed, without);
        ask(sufficient, without);
        weights[sole] = impossible(node);
        return;
    }
    Word* with = scratch.new_sets();
    now_.copy_sets(without, with);
    now_.flip_allowed(with, node, moved.node);
    if (!first) {
        ask(allowed, with);
        if (now != sufficient && !now_.weights().sums()[node].tabulated()) {
            scratch.joined.push_back(node);
        } else {
            Word* among = scratch.new_sets();
            now_.copy_sets(with, among);
            now_.flip_needed(among, node, moved.node);
            ask(sufficient, among);
        }
    }
    Word* only = scratch.new_sets();
    now_.copy_sets(with, only);
    now_.need_none(only);
    now_.flip_needed(only, node, moved.node);
    ask(sole, only);
}

// Rows give all roles for little more than one of them; false where they would lack digits.
bool Relocation::ask_roles_by_rows(const Moved& moved, int node, Role now, bool first,
                                   Scratch& scratch) {
    if (!now_.incremental(node).by_rows()) return false;
    if (!now_.space().can_be_parent(moved.node, node)) return false;
    RoleSums sums;
    Word* set = scratch.set.data();
    const bool passed = entries_of(moved.node)[node] != 0
                            ? pass_outside(moved, node, now, first, set, sums)
                            : pass_inside(moved, node, now, first, set, sums);
    if (!passed) return false;
    auto& weights = scratch.of_node[static_cast<std::size_t>(node)];
    const auto ask = [&](Role role, double unit) {
        if (role == now) return;
        now_.plain_weights().ask(node, sums.numbers[role], unit, weights[role]);
    };
    ask(absent, sums.unit_absent);
    if (!first) {
        ask(allowed, sums.unit_present);
        ask(sufficient, sums.unit_present);
    }
    ask(sole, sums.unit_present);
    return true;
}

bool Relocation::pass_outside(const Moved& moved, int node, Role now, bool first, Word* set,
                              RoleSums& sums) {
    const IncrementalSums& own = now_.incremental(node);
    const std::uint32_t entry = entries_of(moved.node)[node];
    if (now == sole) {
        copy_sets_without(moved, node, set);
        const IncrementalSums::Known without = own.known(set, now_.required(set, first));
        return without.digits && own.pass_outside(without, entry, absent, sums);
    }
    const IncrementalSums::Known& known = now_.known(node);
    return known.digits && own.pass_outside(known, entry, now, sums);
}

bool Relocation::pass_inside(const Moved& moved, int node, Role now, bool first, Word* set,
                             RoleSums& sums) {
    const IncrementalSums& own = now_.incremental(node);
    copy_sets_without(moved, node, set);
    const PartSets required = now_.required(set, first);
    const IncrementalSums::Known without =
        now == absent ? now_.known(node) : own.known(set, required);
    now_.flip_allowed(set, node, moved.node);
    const IncrementalSums::Known with =
        now == allowed ? now_.known(node) : own.known(set, required);
    return own.pass_inside(without, with, sums);
}

// `without` and `holding` are known as the sums for `absent` and `sole`. Where there is no table,
// adding them saves one sum of three.
void Relocation::join(Scratch& scratch) {
    const auto logarithm = [](const LogWeight& weight) {
        return weight.zero_factors == 0 ? weight.value : minus_infinity;
    };
    scratch.log_without.clear();
    scratch.log_holding.clear();
    for (const int node : scratch.joined) {
        const auto& weights = scratch.of_node[static_cast<std::size_t>(node)];
        scratch.log_without.push_back(logarithm(weights[absent]));
        scratch.log_holding.push_back(logarithm(weights[sole]));
    }
    log_add_into(scratch.log_without.data(), scratch.log_holding.data(), scratch.joined.size());
    for (std::size_t i = 0; i < scratch.joined.size(); ++i) {
        const int node = scratch.joined[i];
        const double sum = scratch.log_without[i];
        scratch.of_node[static_cast<std::size_t>(node)][sufficient] =
            sum > minus_infinity ? LogWeight{sum, 0} : impossible(node);
    }
}

// The sets of a node with x taken out.
void Relocation::copy_sets_without(const Moved& moved, int node, Word* sets) const {
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

void Relocation::relocate(const Moved& moved, std::size_t place, Scratch& scratch) {
    const std::size_t place_now = moved.place();
    const std::size_t next = (place + 1) / 2;
    const bool gap = place % 2 == 0;
    for_each_part_left(moved, [&](std::size_t left, int part) {
        const Role now = role_at(place_now, left);
        const Role then = role_at(place, left);
        const int renumbered = static_cast<int>(left) + (gap && left >= next ? 1 : 0);
        for (const int node : now_.members(part)) {
            now_.proposed_parts()[static_cast<std::size_t>(node)] = renumbered;
            if (node == moved.node || then == now) continue;
            const bool possible = now_.space().can_be_parent(moved.node, node);
            if (!possible && now != sole && then != sole) continue;
            Word* changed = now_.begin_change(node, left == 0 && then == absent);
            copy_sets_without(moved, node, changed);
            if (then != absent) now_.flip_allowed(changed, node, moved.node);
            if (then == sole) now_.need_none(changed);
            if (then == sufficient || then == sole) now_.flip_needed(changed, node, moved.node);
            now_.weigh_last_change(possible || now == sole
                                       ? weight_then(moved, node, now, then, scratch)
                                       : impossible(node));
        }
    });
    const auto part_then = static_cast<int>(place / 2);
    now_.proposed_parts()[static_cast<std::size_t>(moved.node)] = part_then;
    Word* changed = now_.begin_change(moved.node, part_then == 0);
    now_.copy_sets(scratch.own_sets(place / 2), changed);
    now_.weigh_last_change(scratch.own[place / 2]);
}

LogWeight Relocation::weight_then(const Moved& moved, int node, Role now, Role then,
                                  const Scratch& scratch) {
    Factors factors;
    if (find_factors(node, entries_of(moved.node)[node], now, factors)) {
        return {log_kernel(factors.numbers[then], factors.unit), 0};
    }
    return scratch.of_node[static_cast<std::size_t>(node)][then];
}

}  // namespace

std::unique_ptr<Move> make_relocation(Partition& partition) {
    return std::make_unique<Relocation>(partition);
}

}  // namespace arcwise
