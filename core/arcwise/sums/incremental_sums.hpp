// One node's sums while its sets gain and lose a parent at a time: what the moves of a chain ask
// millions of times a second.
//
// How far a known sum helps with the next one depends on how the node's families are added up:
// table        it need not help: every sum is one look-up, and the memory of one node's entry can
// be fetched while other nodes are looked up; rows         one outside parent more or less is one
// entry of a row more or less, and one inside parent more or less is another row; walk, scan   it
// does not help: every sum is added up from its sets. So `log_weight` answers for every node,
// whereas `Known` sums are plain numbers and need rows. Without rows, and where a difference would
// lose too many digits, nothing is known, and callers ask for the logarithm. All questions are
// inline and compare at most one pointer with null.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arcwise/numerics/log_space.hpp"
#include "arcwise/sums/node_sums.hpp"
#include "arcwise/support/compiler.hpp"

namespace arcwise {

// What one parent is to a node whose families must have one of the parents it requires:
//   absent      it is not allowed;
//   allowed     it is allowed, and the families still need another one that is required;
//   sufficient  it is one of those required, so that families that have it need no other;
//   sole        it is the only one required.
enum class Role : std::uint8_t { absent, allowed, sufficient, sole };
inline constexpr std::size_t roles = 4;

template <class Value>
struct ByRole {
    std::array<Value, roles> values;

    Value& operator[](Role role) { return values[static_cast<std::size_t>(role)]; }
    const Value& operator[](Role role) const { return values[static_cast<std::size_t>(role)]; }
};

// Sums as plain numbers, in units of e^unit: those with the parent share one.
struct RoleSums {
    ByRole<double> numbers;
    double unit_absent;
    double unit_present;
};

class IncrementalSums {
  public:
    // What is known within two sets, the allowed and the required parents, is the sum over the
    // families that meet the latter, as a plain number; nothing is known unless it has `digits`.
    using Known = PlusOneSums::RowSums;

    IncrementalSums(const NodeSums& sums, Semiring semiring);

    // ln of the summed weights of the families within `allowed`, or the largest log weight; minus
    // infinity if there is no family.
    double log_weight(ParentBits allowed) const {
        if (by_ == By::table) {
            if ((required_ & ~allowed[0]) != 0) return minus_infinity;
            return heaviest_ + table_[allowed[0] & mask_];
        }
        if (by_ == By::rows) return rows_->log_sum(allowed);
        return by_ == By::sums ? sums_->log_sum(allowed) : sums_->max(allowed);
    }

    // The same relative to NodeSums::sum_scale; there is no such maximum.
    double relative_log_sum(ParentBits allowed) const {
        if (by_ == By::table) {
            return (required_ & ~allowed[0]) != 0 ? minus_infinity : table_[allowed[0] & mask_];
        }
        return by_ == By::rows ? rows_->relative_log_sum(allowed)
                               : sums_->relative_log_sum(allowed);
    }

    // Fetches the entries that these sums will ask for. Tables are larger than caches, and where
    // one look-up depends on another it would wait for the memory of both.
    void fetch(ParentBits allowed) const {
        if (by_ == By::table) prefetch(table_ + (allowed[0] & mask_));
    }
    void fetch(ParentBits allowed, ParentBits required) const {
        fetch(allowed);
        if (by_ == By::table) prefetch(table_ + (allowed[0] & ~required[0] & mask_));
    }

    // Whether sums can be known: there are rows of them, and no parent is in every family.
    bool by_rows() const { return by_ == By::rows; }

    // The sum over the families within `allowed` that meet `required` (null: all of them).
    Known known(ParentBits allowed, ParentBits required) const {
        return by_rows() ? rows_->row_sums(allowed, required) : Known{};
    }
    // The same for other sets, from what is known of the first ones where that is quicker.
    Known changed(const Known& now, ParentBits allowed, ParentBits required,
                  ParentBits allowed_then, ParentBits required_then) const {
        return by_rows() ? rows_->changed_sums(now, allowed, required, allowed_then, required_then)
                         : Known{};
    }

    // The entry of an outside parent in the rows, by its place; 0 for an inside parent, for a node
    // that cannot be a parent (a place of -1), and without rows.
    std::uint32_t outside_entry(int place) const {
        const auto parent = static_cast<std::size_t>(place);
        const bool outside = by_rows() && place >= 0 && rows_->is_outside(parent);
        return outside ? static_cast<std::uint32_t>(rows_->entry_at(parent)) : 0;
    }

    // The summed weights of the families that hold an outside parent, in the units of the known
    // sum: of all within the allowed parents and it, and of those that meet the required parents.
    struct Holders {
        double holding;
        double meeting;
    };
    Holders holders(const Known& now, std::uint32_t entry) const {
        return {rows_->row(now.set)[entry], rows_->part(now, entry, false)};
    }
    // Whether a sum has enough digits after differences from sums up to `highest`.
    static bool has_digits(double sum, double highest) {
        return sum > PlusOneSums::smallest_sum && sum > PlusOneSums::usual_share * highest;
    }
    static bool has_digits(double sum) { return sum > PlusOneSums::smallest_sum; }

    // The sums for each role of one parent, by rows; false if some would lack digits. An outside
    // parent has one of the roles in the known sum, other than `sole`; an inside one needs the sums
    // without it and with it allowed.
    bool pass_outside(const Known& now, std::uint32_t entry, Role role, RoleSums& sums) const;
    bool pass_inside(const Known& without, const Known& with, RoleSums& sums) const;

    // The sum within the predecessors as one outside parent goes and another one comes, by their
    // places (-1: none does); not above zero where it would lack digits.
    bool can_exchange(int gone, int come) const {
        return (gone < 0 || rows_->is_outside(static_cast<std::size_t>(gone))) &&
               (come < 0 || rows_->is_outside(static_cast<std::size_t>(come)));
    }
    double exchanged(const Known& now, int gone, int come) const {
        const double* row = rows_->row(now.set);
        const auto entry = [&](int place) {
            return place < 0 ? 0.0 : row[rows_->entry_at(static_cast<std::size_t>(place))];
        };
        const double sum = (now.whole - entry(gone)) + entry(come);
        return has_digits(sum, now.whole) ? sum : 0.0;
    }

    // Sums for sets that grow, each with its required parents as the second half of its words, and
    // the logarithms of their units; false if they would lack digits, and without rows. The first
    // set is empty, and needs no parent.
    bool growing_sums(const std::uint64_t* sets, std::size_t stride, std::size_t count,
                      double* numbers, double* units) const;

  private:
    // What is asked: a table of sums or maxima whose sets fit a word, rows of sums without required
    // parents, or else NodeSums, for a sum or a maximum. Look-ups are most of a step, and a state
    // goes from node to node: two of these fit a line of the cache.
    enum class By : std::uint8_t { table, rows, sums, maxima };
    union {
        const double* table_;
        const PlusOneSums* rows_;
        const NodeSums* sums_;
    };
    std::uint64_t required_ = 0;
    double heaviest_ = 0.0;  // that the entries of the table are relative to
    std::uint32_t mask_ = 0;
    By by_;
};

}  // namespace arcwise
