// Reversal of an edge, with both ends' parents drawn anew.
//
// The move of Grzegorczyk and Husmeier (2008), "Improving the structure MCMC sampler for Bayesian
// networks by introducing a new edge reversal move", made from a partition: a DAG G is drawn from
// it, an edge i -> j of G is chosen, both ends lose their parents, i gets new ones with j among
// them and then j gets new ones, each in proportion to its weight among those that close no cycle.
// The partition of the DAG that comes out is proposed.
//
// The edge is that to a random node with parents from a random one of them. So of G only those
// families matter that decide what is below i and j, and no others are drawn.
#include <algorithm>
#include <cmath>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/spaces/given_sets.hpp"
#include "arcwise/spaces/partitions/partition.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

using Word = Partition::Word;

// Whether a node is below the tail or the head of the edge once both have lost their parents, or
// is one of them.
constexpr unsigned char below_from = 1;
constexpr unsigned char below_to = 2;

class Reversal final : public Move {
  public:
    explicit Reversal(Partition& partition)
        : now_(partition),
          space_(partition.space()),
          sums_(partition.sums()),
          draws_(partition.draws()),
          words_(words_for(partition.nodes())),
          rows_(partition.nodes() * words_),
          below_(partition.nodes()),
          touched_(words_),
          reached_(words_),
          inside_(partition.nodes() * words_),
          possible_(partition.nodes() * partition.words()),
          of_from_(2 * partition.words()),
          of_to_(of_from_),
          seen_(partition.words()),
          change_of_(partition.nodes(), -1) {
        const ScoreSums& sums = partition.weights().sums();
        for (int node = 0; node < space_.nodes(); ++node) {
            const auto v = static_cast<std::size_t>(node);
            const std::vector<int>& parents = sums.possible_parents(node);
            for (std::size_t place = 0; place < parents.size(); ++place) {
                put_member(possible_.data() + v * partition.words(), place);
                if (place < sums.inside(node))
                    put_member(inside_.data() + v * words_, parents[place]);
            }
        }
    }

    Proposal propose(const Temperature& temperature, Random& random) override;

  private:
    Word* row(int node) { return rows_.data() + static_cast<std::size_t>(node) * words_; }
    std::size_t parents_drawn(int node) { return count_members(row(node), words_); }
    void draw_family(int node, PartSets sets, double log_sum, Random& random);
    void draw_family(int node, Random& random);
    void take_family(int node, std::int64_t family);
    unsigned char draw_if_below(int node, Random& random);
    unsigned char draw_with_ends(int node, Random& random);
    unsigned char ends_of(int node);
    bool can_have_below_inside(int node) const {
        const Word* inside = inside_.data() + static_cast<std::size_t>(node) * words_;
        Word common = 0;
        for (std::size_t word = 0; word < words_; ++word) common |= inside[word] & reached_[word];
        return common != 0;
    }
    void find_descendants(int from, int to, Random& random);
    void enter_below(int node, unsigned char ends);
    PartSets outside(int node, unsigned char ends, int needed, std::vector<Word>& sets) const;
    void put_after_parents(int node);
    bool refused(double log_acceptance, Random& random) const;
    void change_moved(std::span<const int> nodes);

    Partition& now_;
    const Partitions& space_;
    PartSums& sums_;
    FamilyDraws& draws_;

    const std::size_t words_;            // in a set of nodes
    std::vector<Word> rows_;             // the families drawn, as sets of nodes
    std::vector<unsigned char> below_;   // by node: below which ends of the edge it is
    std::vector<Word> touched_;          // whether one of those below can be its parent
    std::vector<Word> reached_;          // those below, and the ends as they are entered
    std::vector<Word> inside_;           // by node, those of its candidates that rows are for
    std::vector<Word> possible_;         // by node, all its possible parents
    std::vector<int> descendants_;       // the nodes below, by part
    std::vector<Word> of_from_, of_to_;  // sets that the ends' parents are drawn within
    std::vector<int> those_below_;       // the ends, as they are entered, and the nodes below
    std::vector<Word> seen_;             // them, as possible parents of a node
    std::vector<int> change_of_;         // by node, -1: none
};

void Reversal::draw_family(int node, PartSets sets, double log_sum, Random& random) {
    const PartSets needed = needs_parent(sets, now_.words()) ? sets + now_.words() : nullptr;
    take_family(node, draws_.draw(node, sets, needed, log_sum, random));
}

void Reversal::draw_family(int node, Random& random) {
    const PartSets sets = now_.sets(node);
    if (now_.rows(node) == nullptr) {
        draw_family(node, sets, now_.weight_of(node).value, random);
    } else {
        take_family(node, draws_.draw(node, now_.row_sums(node), sets,
                                      now_.required(sets, now_.part_of(node) == 0), random));
    }
}

void Reversal::take_family(int node, std::int64_t family) {
    std::fill_n(row(node), words_, 0);
    add_family(now_.weights().sums(), node, family, row(node));
}

// Which ends the node's family is below; the family itself matters only if it is below one. So its
// outside parent is looked for among those below alone, and no more is drawn where there is none
// and no inside candidate is below either.
unsigned char Reversal::draw_if_below(int node, Random& random) {
    const PlusOneSums* rows = now_.rows(node);
    if (rows == nullptr || random.scripted()) return draw_with_ends(node, random);
    const PlusOneSums::RowSums& known = now_.row_sums(node);
    if (!known.digits) return draw_with_ends(node, random);
    const PartSets sets = now_.sets(node);
    const PartSets required = sets + now_.words();
    const bool inside = can_have_below_inside(node);
    double left = random.uniform() * known.met - rows->without_outside(known, required);
    if (left < 0.0 && !inside) return 0;
    std::size_t entry = 0;
    if (left >= 0.0) {
        std::fill(seen_.begin(), seen_.end(), 0);
        for (const int other : those_below_) now_.flip_allowed(seen_.data(), node, other);
        std::size_t last = 0;
        entry = rows->find_entry(known, sets, required, seen_.data(), true, left, last);
        if (entry == 0 && !inside) return 0;
        if (entry == 0) {
            entry = rows->find_entry(known, sets, required, seen_.data(), false, left, last);
        }
        if (entry == 0) entry = last;  // rounding can leave a remainder
    }
    take_family(node, draws_.draw_inside(node, rows->inside_draw(sets, required, entry), random));
    return ends_of(node);
}

unsigned char Reversal::draw_with_ends(int node, Random& random) {
    draw_family(node, random);
    return ends_of(node);
}

unsigned char Reversal::ends_of(int node) {
    unsigned char ends = 0;
    for_each_member(row(node), words_,
                    [&](int parent) { ends |= below_[static_cast<std::size_t>(parent)]; });
    return ends;
}

void Reversal::enter_below(int node, unsigned char ends) {
    below_[static_cast<std::size_t>(node)] = ends;
    those_below_.push_back(node);
    put_member(reached_.data(), node);
    const std::span<const Word> children = space_.possible_children(node);
    for (std::size_t word = 0; word < children.size(); ++word) touched_[word] |= children[word];
}

// Parts in turn are an order of the DAG, so all parents of a node are known when it is reached.
void Reversal::find_descendants(int from, int to, Random& random) {
    std::fill(below_.begin(), below_.end(), 0);
    std::fill(touched_.begin(), touched_.end(), 0);
    std::fill(reached_.begin(), reached_.end(), 0);
    descendants_.clear();
    those_below_.clear();
    enter_below(from, below_from);
    const auto later = static_cast<std::size_t>(now_.part_of(from)) + 1;
    for (const int node : now_.by_part().from_to(later, now_.by_part().count())) {
        if (node == to) {
            enter_below(to, below_to);
        } else if (has_member(touched_.data(), node)) {
            const unsigned char ends = draw_if_below(node, random);
            if (ends == 0) continue;
            enter_below(node, ends);
            descendants_.push_back(node);
        }
    }
}

// The sets of a node whose parents are not below the given ends, `needed` among them if it is a
// node.
PartSets Reversal::outside(int node, unsigned char ends, int needed,
                           std::vector<Word>& sets) const {
    const std::size_t words = now_.words();
    std::copy_n(possible_.data() + static_cast<std::size_t>(node) * words, words, sets.data());
    now_.need_none(sets.data());
    for (const int other : those_below_) {
        const bool out = (below_[static_cast<std::size_t>(other)] & ends) == 0;
        if (!out) now_.flip_allowed(sets.data(), node, other);
    }
    if (needed >= 0) now_.flip_needed(sets.data(), node, needed);
    return sets.data();
}

void Reversal::put_after_parents(int node) {
    int part = 0;
    for_each_member(row(node), words_, [&](int parent) {
        part = std::max(part, now_.proposed_parts()[static_cast<std::size_t>(parent)] + 1);
    });
    now_.proposed_parts()[static_cast<std::size_t>(node)] = part;
}

// Refuses with the probability that a step of this acceptance probability is refused.
bool Reversal::refused(double log_acceptance, Random& random) const {
    return log_acceptance < 0.0 && !random.event(std::exp(log_acceptance));
}

Proposal Reversal::propose(const Temperature& temperature, Random& random) {
    const Proposal impossible{.possible = false};
    const Proposal refusal{.refused = true};
    const std::size_t first_part = now_.size(0);
    const std::size_t with_parents = now_.nodes() - first_part;
    if (now_.log_weight().impossible != 0 || with_parents == 0)
        return impossible;  // no DAG or edge
    const Parts& parts = now_.by_part();
    const int to = parts.from_to(1, parts.count())[random.below(with_parents)];
    draw_family(to, random);
    const std::size_t parents_of_to = parents_drawn(to);
    const int from = member_at(row(to), random.below(parents_of_to));
    if (!space_.can_be_parent(to, from)) return impossible;
    find_descendants(from, to, random);

    // There: parents of `from` with `to` among them, then those of `to`. Back: those of `to` with
    // `from` among them, of which there are some, then those of `from`. Whoever comes second has
    // both ends below it.
    const double back_to = sums_.log_sum(to, outside(to, below_to, from, of_to_));
    const double back_from =
        sums_.log_sum(from, outside(from, below_from | below_to, -1, of_from_));
    const double sum_from = sums_.log_sum(from, outside(from, below_from, to, of_from_));
    const double sum_to = sums_.log_sum(to, outside(to, below_from | below_to, -1, of_to_));
    if (sum_from == minus_infinity || sum_to == minus_infinity) return impossible;

    // Given its partition a DAG has the probability weight / weight of the partition; family
    // weights cancel against those in the probabilities to draw them. What is left is how probable
    // it is that the edge is chosen: one of those to `from`, where there was one of those to `to`.
    // Of all nodes these two alone can have parents where they had none, or none where they had.
    const double log_sums = sum_from + sum_to - back_to - back_from;
    const auto log_gain = [&](std::size_t with_parents_then, std::size_t parents_of_from) {
        return space_.log_number(with_parents) + space_.log_number(parents_of_to) -
               space_.log_number(with_parents_then) - space_.log_number(parents_of_from) + log_sums;
    };
    const std::size_t fewest = with_parents - 1 + (now_.part_of(from) == 0 ? 1u : 0u);
    // Under the posterior itself that is the acceptance probability: most are refused by the most
    // it can be, and no weight is needed before it is known that it will be accepted. The product
    // of the two probabilities is that of the step.
    const bool decides = temperature.excludes_impossible() && temperature.inverse == 1.0;
    const double at_most = std::min(0.0, log_gain(std::max<std::size_t>(fewest, 1), 1));
    if (decides && refused(at_most, random)) return refusal;
    draw_family(from, of_from_.data(), sum_from, random);
    draw_family(to, of_to_.data(), sum_to, random);
    const double gained = log_gain(fewest + (parents_drawn(to) > 0 ? 1u : 0u), parents_drawn(from));
    if (decides && refused(gained - at_most, random)) return refusal;

    // Only what is below the ends can change its part.
    now_.proposed_parts() = parts.part_of();
    put_after_parents(to);
    for (const int node : descendants_) {
        if (below_[static_cast<std::size_t>(node)] == below_to) put_after_parents(node);
    }
    put_after_parents(from);
    for (const int node : descendants_) {
        if (below_[static_cast<std::size_t>(node)] != below_to) put_after_parents(node);
    }
    descendants_.push_back(from);
    descendants_.push_back(to);
    change_moved(descendants_);
    const double change = now_.proposed_weight().value - now_.log_weight().value;
    return now_.proposal((decides ? 0.0 : gained) - change);
}

// Changes the sets of all nodes to those of the proposed parts, when only some of the given nodes
// have another part. There, numbers of parts mean the same before and after.
void Reversal::change_moved(std::span<const int> nodes) {
    const auto has_moved = [&](int node) {
        const auto at = static_cast<std::size_t>(node);
        return now_.part_of(node) != now_.proposed_parts()[at];
    };
    for (const int node : nodes) {
        if (!has_moved(node)) continue;
        const int now = now_.part_of(node);
        const int then = now_.proposed_parts()[static_cast<std::size_t>(node)];
        set_by_parts(now_.weights().sums(), now_.proposed_parts(), node,
                     now_.begin_change(node, then == 0));
        // Others see it pass if they are in between, or right after the part it leaves or enters.
        const auto first = static_cast<std::size_t>(std::min(now, then)) + 1;
        const auto last =
            static_cast<std::size_t>(std::min(std::max(now, then) + 1, now_.parts() - 1));
        for (const int other : now_.by_part().from_to(first, last + 1)) {
            if (has_moved(other) || !space_.can_be_parent(node, other)) continue;
            const int part = now_.part_of(other);
            int& change = change_of_[static_cast<std::size_t>(other)];
            if (change < 0) {
                change = static_cast<int>(now_.changes());
                now_.begin_change(other, false);
            }
            Word* changed = now_.changed_sets(static_cast<std::size_t>(change));
            if ((now < part) != (then < part)) now_.flip_allowed(changed, other, node);
            if ((now == part - 1) != (then == part - 1)) now_.flip_needed(changed, other, node);
        }
    }
    for (std::size_t i = 0; i < now_.changes(); ++i) {
        change_of_[static_cast<std::size_t>(now_.changed_node(i))] = -1;
    }
    now_.weigh_changes();
}

}  // namespace

std::unique_ptr<Move> make_reversal(Partition& partition) {
    return std::make_unique<Reversal>(partition);
}

}  // namespace arcwise
