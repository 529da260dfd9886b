// The recursion of one bucket, eight subsets at a time.
//
// First the weight h(Y) of the best order of every subset, with additions and maxima only; then
// g(Y) = G(Y) / e^h(Y) = sum over i of e^(ln alpha_i(Y - i) + h(Y - i) - h(Y)) g(Y - i). One of the
// exponents is zero and none is positive, so g lies between 1 and |Y|! however far apart the
// weights are, and a single logarithm at the end gives ln G.
#include "arcwise/spaces/orders/bucket_recursion.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>

#include "arcwise/numerics/four.hpp"
#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/numerics/log_space.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {
namespace {

// Members 0, 1 and 2 choose a subset within a block of eight, the others choose the block.
constexpr std::size_t low_members = 3;
constexpr std::size_t half_block = lanes / 2;  // what the widest unit of most processors holds

ARCWISE_INLINE std::size_t lowest_bit(std::size_t set) { return set & (~set + 1); }

ARCWISE_INLINE std::size_t position(std::size_t bit) {
    return static_cast<std::size_t>(std::countr_zero(bit));
}

// Solves the subsets one by one, for buckets that do not fill a block.
void solve_small(BucketSums log_sums, double* best, double* sums) {
    best[0] = 0.0;
    sums[0] = 1.0;
    for (std::size_t set = 1; set < std::size_t{1} << log_sums.size(); ++set) {
        double products[low_members] = {};
        double highest = impossible_weight;
        for (std::size_t left = set, i = 0; left != 0; left &= left - 1, ++i) {
            const std::size_t member = position(left);
            const std::size_t before = set ^ lowest_bit(left);
            products[i] = log_sums[member][squeeze_bit(before, member)] + best[before];
            highest = highest < products[i] ? products[i] : highest;
        }
        double sum = 0.0;
        for (std::size_t left = set, i = 0; left != 0; left &= left - 1, ++i) {
            sum += share_kernel(products[i] - highest) * sums[set ^ lowest_bit(left)];
        }
        best[set] = highest;
        sums[set] = sum;
    }
}

// Returns the block to solve after this one: those with fewer high members come first. Blocks with
// the same number do not depend on each other, so that the processor can work at several at once.
ARCWISE_INLINE std::size_t next_block(std::size_t block, std::size_t blocks) {
    // The next larger number with as many ones, or else the smallest with one more.
    const std::size_t carried = block + lowest_bit(block);
    const std::size_t next = carried | ((block ^ carried) >> 2 >> position(block | blocks));
    return block != 0 && next < blocks ? next : (std::size_t{2} << std::popcount(block)) - 1;
}

// Calls use(entries, from) for every high member of a block: its eight table entries, and the first
// subset of the block without it.
template <class Use>
ARCWISE_INLINE void for_high_members(const double* const* tables, std::size_t block, Use use) {
    for (std::size_t left = block; left != 0; left &= left - 1) {
        const std::size_t bit = lowest_bit(left);
        const std::size_t before = block ^ bit;
        // Half of it is squeeze_bit(before, member), as bits above the member move down.
        const std::size_t twice = before + (before & (bit - 1));
        use(tables[low_members + position(left)] + half_block * twice, lanes * before);
    }
}

// The table entries of the low members for a block, each in the lane of the subset it leads to;
// lanes of subsets without the member hold `nothing`. The lower half has no subset with member 2,
// the upper half no other.
struct LowEntries {
    Four lower[2];
    Four upper[low_members];

    ARCWISE_INLINE LowEntries(const double* const* tables, std::size_t block, double nothing) {
        const Four none = {nothing, nothing, nothing, nothing};
        Four first;
        Four second;
        load(first, tables[0] + half_block * block);
        load(second, tables[1] + half_block * block);
        pick<4, 0, 4, 1>(lower[0], first, none);
        pick<4, 2, 4, 3>(upper[0], first, none);
        pick<4, 4, 0, 1>(lower[1], second, none);
        pick<4, 4, 2, 3>(upper[1], second, none);
        load(upper[2], tables[2] + half_block * block);
    }
};

// before[i]: in the lane of every subset the value of the subset without low member i = 0, 1.
ARCWISE_INLINE void without_each(const Four& values, Four (&before)[2]) {
    pick<0, 0, 2, 2>(before[0], values, values);
    pick<0, 1, 0, 1>(before[1], values, values);
}

// Ends a recursion within a block: `lower` and `upper` already have the terms of the high members.
// add(value, entry, from) is the recursion's value + entry * from.
template <class Add>
ARCWISE_INLINE void finish_block(const LowEntries& entries, Four& lower, Four& upper, Add add) {
    Four before[2];
    const Four from_high = lower;
    // The second round adds what the first made of the subsets with one member.
    for (int round = 0; round < 2; ++round) {
        without_each(lower, before);
        lower = from_high;
        add(lower, entries.lower[0], before[0]);
        add(lower, entries.lower[1], before[1]);
    }
    add(upper, entries.upper[2], lower);
    const Four from_others = upper;
    for (int round = 0; round < 2; ++round) {
        without_each(upper, before);
        upper = from_others;
        add(upper, entries.upper[0], before[0]);
        add(upper, entries.upper[1], before[1]);
    }
}

// Sets best[Y] for all subsets Y, and low_exponents, laid out like the tables of the low members,
// to their exponents ln alpha_i(Y - i) + best[Y - i] - best[Y].
ARCWISE_VECTOR_VERSIONS
void find_best(const double* const* log_sums, std::size_t members, double* best,
               double* const* low_exponents) {
    const auto add = [](Four& value, const Four& entry, const Four& from) {
        const Four product = entry + from;
        raise_to(value, product);
    };
    const std::size_t blocks = std::size_t{1} << (members - low_members);
    for (std::size_t block = 0; block < blocks; block = next_block(block, blocks)) {
        Four lower = {impossible_weight, impossible_weight, impossible_weight, impossible_weight};
        Four upper = lower;
        if (block == 0) lower[0] = 0.0;
        for_high_members(log_sums, block, [&](const double* entries, std::size_t from) {
            Four entry;
            Four before;
            load(entry, entries);
            load(before, best + from);
            add(lower, entry, before);
            load(entry, entries + half_block);
            load(before, best + from + half_block);
            add(upper, entry, before);
        });
        const LowEntries entries(log_sums, block, minus_infinity);
        finish_block(entries, lower, upper, add);
        store(best + lanes * block, lower);
        store(best + lanes * block + half_block, upper);

        Four before_lower[2];
        Four before_upper[2];
        without_each(lower, before_lower);
        without_each(upper, before_upper);
        Four in_lower[2];
        Four in_upper[2];
        for (int i = 0; i < 2; ++i) {
            in_lower[i] = entries.lower[i] + before_lower[i] - lower;
            in_upper[i] = entries.upper[i] + before_upper[i] - upper;
        }
        const std::size_t place = half_block * block;
        Four exponents;
        pick<1, 3, 5, 7>(exponents, in_lower[0], in_upper[0]);
        store(low_exponents[0] + place, exponents);
        pick<2, 3, 6, 7>(exponents, in_lower[1], in_upper[1]);
        store(low_exponents[1] + place, exponents);
        exponents = entries.upper[2] + lower - upper;
        store(low_exponents[2] + place, exponents);
    }
}

ARCWISE_VECTOR_VERSIONS
void exponents_to_shares(double* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) values[i] = share_kernel(values[i]);
}

ARCWISE_VECTOR_VERSIONS
void add_up(const double* const* log_sums, std::size_t members, const double* best,
            const double* const* low_shares, double* sums) {
    const std::size_t blocks = std::size_t{1} << (members - low_members);
    for (std::size_t block = 0; block < blocks; block = next_block(block, blocks)) {
        const double* const highest = best + lanes * block;
        double from_high[lanes] = {};
        if (block == 0) from_high[0] = 1.0;
        for_high_members(log_sums, block, [&](const double* entries, std::size_t from) {
            for (std::size_t i = 0; i < lanes; ++i) {
                const double exponent = entries[i] + best[from + i] - highest[i];
                from_high[i] += share_kernel(exponent) * sums[from + i];
            }
        });
        Four lower;
        Four upper;
        load(lower, from_high);
        load(upper, from_high + half_block);
        finish_block(
            LowEntries(low_shares, block, 0.0), lower, upper,
            [](Four& value, const Four& entry, const Four& from) { value += entry * from; });
        store(sums + lanes * block, lower);
        store(sums + lanes * block + half_block, upper);
    }
}

}  // namespace

void BucketRecursion::reserve(int members) {
    const std::size_t subsets = std::size_t{1} << members;
    const std::size_t needed = subsets / 2 * (2 + 2 + low_members) + lanes;
    if (memory_.size() < needed) memory_.resize(needed);
}

void BucketRecursion::solve(BucketSums log_sums) {
    reserve(static_cast<int>(log_sums.size()));
    const std::size_t half = (std::size_t{1} << log_sums.size()) / 2;
    void* start = memory_.data();
    std::size_t space = memory_.size() * sizeof(double);
    best_ = static_cast<double*>(std::align(lanes * sizeof(double), half, start, space));
    sums_ = best_ + 2 * half;
    if (log_sums.size() < low_members) {
        solve_small(log_sums, best_, sums_);
        return;
    }
    double* const low = sums_ + 2 * half;
    double* const low_tables[low_members] = {low, low + half, low + 2 * half};
    find_best(log_sums.data(), log_sums.size(), best_, low_tables);
    exponents_to_shares(low, low_members * half);
    add_up(log_sums.data(), log_sums.size(), best_, low_tables, sums_);
}

double BucketRecursion::log_score(BucketSums log_sums) {
    if (log_sums.size() == 1) return log_sums[0][0];
    solve(log_sums);
    const std::size_t all = (std::size_t{1} << log_sums.size()) - 1;
    return relative_logarithm(best_[all], sums_[all]);
}

void BucketRecursion::log_forward(BucketSums log_sums, double* out) {
    solve(log_sums);
    for (std::size_t set = 0; set < std::size_t{1} << log_sums.size(); ++set) {
        out[set] = relative_logarithm(best_[set], sums_[set]);
    }
}

void BucketRecursion::log_backward(BucketSums log_sums, double* out) {
    // From the last member the recursion is the forward one, with the members that come after in
    // place of those before.
    const std::size_t half = (std::size_t{1} << log_sums.size()) / 2;
    std::vector<double> reversed(log_sums.size() * half);
    std::vector<const double*> tables;
    for (std::size_t member = 0; member < log_sums.size(); ++member) {
        double* const table = reversed.data() + member * half;
        std::reverse_copy(log_sums[member], log_sums[member] + half, table);
        tables.push_back(table);
    }
    log_forward(tables, out);
    std::reverse(out, out + 2 * half);
}

BucketOrderLaw::BucketOrderLaw(BucketSums log_sums, BucketRecursion& recursion)
    : log_sums_(log_sums.begin(), log_sums.end()),
      forward_(std::size_t{1} << log_sums.size()),
      backward_(forward_.size()) {
    recursion.log_forward(log_sums, forward_.data());
    recursion.log_backward(log_sums, backward_.data());
}

void BucketOrderLaw::log_predecessors(int member, double* out) const {
    const auto own = static_cast<std::size_t>(member);
    for (std::size_t place = 0; place < forward_.size() / 2; ++place) {
        const std::size_t set = insert_bit(place, own);
        out[place] = forward_[set] + log_sums_[own][place] +
                     backward_[set | std::size_t{1} << own] - log_score();
    }
}

void BucketOrderLaw::draw(Random& random, int* order) const {
    const std::size_t members = log_sums_.size();
    double shares[most_bucket_members];
    std::size_t set = forward_.size() - 1;
    for (std::size_t last = members; last-- > 0;) {
        for (std::size_t i = 0; i < members; ++i) {
            const std::size_t before = set & ~(std::size_t{1} << i);
            const double log_sum = log_sums_[i][squeeze_bit(before, i)];
            shares[i] = before == set ? 0.0 : std::exp(log_sum + forward_[before] - forward_[set]);
        }
        const std::size_t chosen = random.choose(std::span(shares, members));
        order[last] = static_cast<int>(chosen);
        set ^= std::size_t{1} << chosen;
    }
}

}  // namespace arcwise
