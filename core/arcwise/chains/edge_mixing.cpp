#include "arcwise/chains/edge_mixing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "arcwise/support/bits.hpp"
#include "arcwise/support/compiler.hpp"

// Counts are whole numbers: the same whatever instruction finds them.
#define ARCWISE_COUNT_VERSIONS ARCWISE_VERSIONS("popcnt", "avx2")

namespace arcwise {
namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t fewest_draws = 4;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

ARCWISE_COUNT_VERSIONS std::int64_t count(const std::uint64_t* words, std::size_t number) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < number; ++i) total += std::popcount(words[i]);
    return total;
}

// How many places t have a one at t and at t + lag; there are zeros after the last bit, and one
// word of them after the last word.
ARCWISE_COUNT_VERSIONS std::int64_t count_at_lag(const std::uint64_t* words, std::size_t number,
                                                 std::size_t lag) {
    const std::size_t skipped = lag / word_bits;
    const std::size_t shift = lag % word_bits;
    std::int64_t total = 0;
    if (shift == 0) {
        for (std::size_t i = 0; i + skipped < number; ++i) {
            total += std::popcount(words[i] & words[i + skipped]);
        }
        return total;
    }
    for (std::size_t i = 0; i + skipped < number; ++i) {
        const std::uint64_t later = words[i + skipped] >> shift | words[i + skipped + 1]
                                                                      << (word_bits - shift);
        total += std::popcount(words[i] & later);
    }
    return total;
}

// Bit t of word b becomes bit b of word t (Warren, "Hacker's Delight", section 7-3).
void transpose(std::array<std::uint64_t, word_bits>& block) {
    std::uint64_t mask = 0x00000000ffffffff;
    for (std::size_t width = 32; width != 0; width >>= 1, mask ^= mask << width) {
        for (std::size_t i = 0; i < word_bits; i = (i + width + 1) & ~width) {
            const std::uint64_t moved = (block[i] >> width ^ block[i + width]) & mask;
            block[i] ^= moved << width;
            block[i + width] ^= moved;
        }
    }
}

// A series of bits, with one word of zeros after the last.
struct Series {
    std::vector<std::uint64_t> words;
    std::size_t length = 0;

    void reset(std::size_t bits) {
        length = bits;
        words.assign(words_for(bits) + 1, 0);
    }
    bool bit(std::size_t place) const {
        return (words[place / word_bits] >> place % word_bits & 1) != 0;
    }
    std::int64_t ones() const { return count(words.data(), words.size()); }

    // Becomes `bits` of another series from `first` on.
    void take(const Series& other, std::size_t first, std::size_t bits) {
        reset(bits);
        const std::size_t skipped = first / word_bits;
        const std::size_t shift = first % word_bits;
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            words[i] = other.words[i + skipped] >> shift;
            if (shift != 0) words[i] |= other.words[i + skipped + 1] << (word_bits - shift);
        }
        if (bits % word_bits != 0) {
            words[bits / word_bits] &= (std::uint64_t{1} << bits % word_bits) - 1;
        }
    }
    std::int64_t changes() const {
        std::int64_t total = 0;
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            const std::uint64_t next = words[i] >> 1 | words[i + 1] << (word_bits - 1);
            total += std::popcount(words[i] ^ next);
        }
        // The last bit has been held against the zero after it.
        return total - (length > 0 && bit(length - 1) ? 1 : 0);
    }
};

// The draws of one edge, chain by chain, and what is made of their halves.
class EdgeDraws {
  public:
    EdgeDraws(std::size_t chains, std::size_t shortest)
        : series(chains), half_(shortest / 2), shortest_(shortest), halves_(2 * chains) {}

    std::vector<Series> series;

    // The middle draw of an odd number belongs to neither half.
    double rhat() {
        const std::size_t chains = series.size();
        for (std::size_t chain = 0; chain < chains; ++chain) {
            halves_[chain].bits.take(series[chain], 0, half_);
            halves_[chains + chain].bits.take(series[chain], shortest_ - half_, half_);
        }
        const double length = static_cast<double>(half_);
        double within = 0.0;
        for (Half& half : halves_) {
            half.ones = half.bits.ones();
            half.share = static_cast<double>(half.ones) / length;
            within += half.share * (1.0 - half.share);
        }
        within *= length / (length - 1.0) / static_cast<double>(halves_.size());
        between_ = variance_of_shares();
        if (within == 0.0 && between_ == 0.0) return unknown;  // only the middle draw differs
        return std::sqrt((length - 1.0) / length + between_ / within);
    }

    // After `rhat`, for an edge that is not the same in all halves: the mean autocovariance of all
    // halves gives correlations, summed over Geyer's initial monotone sequence of pairs.
    double effective(std::size_t most_lags) {
        const double length = static_cast<double>(half_);
        const double draws = length * static_cast<double>(halves_.size());
        for (Half& half : halves_) half.head = half.tail = 0;
        const double variance = covariance(0);
        const double within = variance * length / (length - 1.0);
        const double total = variance + between_;
        const std::size_t last_pair = half_ < 3 ? 0 : (half_ - 3) / 2;
        double summed = 0.0;
        double smallest = std::numeric_limits<double>::infinity();
        for (std::size_t pair = 0;; ++pair) {
            if (2 * pair > most_lags) return -1.0;
            const double even = pair == 0 ? 1.0 : 1.0 - (within - covariance(2 * pair)) / total;
            const double odd = 1.0 - (within - covariance(2 * pair + 1)) / total;
            if (even + odd <= 0.0 || pair == last_pair) {
                // The first half of the last pair improves the estimate, unless it is noise.
                const double more = even + odd < 0.0 ? std::max(even, 0.0) : even;
                const double time = 2.0 * summed + more - 1.0;
                return draws / std::max(time, 1.0 / std::log10(draws));
            }
            smallest = std::min(smallest, even + odd);
            summed += smallest;
        }
    }

  private:
    struct Half {
        Series bits;
        std::int64_t ones = 0;
        double share = 0.0;
        std::int64_t head = 0;  // ones among the first `lag` draws
        std::int64_t tail = 0;  // and among the last
    };

    double variance_of_shares() const {
        double mean = 0.0;
        for (const Half& half : halves_) mean += half.share;
        mean /= static_cast<double>(halves_.size());
        double squares = 0.0;
        for (const Half& half : halves_) squares += (half.share - mean) * (half.share - mean);
        return squares / static_cast<double>(halves_.size() - 1);
    }

    // To be called for lag 0, 1, 2, ... in turn.
    double covariance(std::size_t lag) {
        double total = 0.0;
        for (Half& half : halves_) {
            if (lag > 0) {
                half.head += half.bits.bit(lag - 1) ? 1 : 0;
                half.tail += half.bits.bit(half_ - lag) ? 1 : 0;
            }
            const std::int64_t both =
                count_at_lag(half.bits.words.data(), half.bits.words.size() - 1, lag);
            const double sums = static_cast<double>(2 * half.ones - half.head - half.tail);
            total += static_cast<double>(both) - half.share * sums +
                     static_cast<double>(half_ - lag) * half.share * half.share;
        }
        return total / static_cast<double>(half_) / static_cast<double>(halves_.size());
    }

    std::size_t half_;
    std::size_t shortest_;
    std::vector<Half> halves_;
    double between_ = 0.0;
};

// All edges into one node.
class EdgesInto {
  public:
    EdgesInto(std::span<const DagChain> chains, std::size_t nodes, std::size_t node,
              const MixingOptions& settings, const EdgeMixing& result)
        : chains_(chains), nodes_(nodes), node_(node), settings_(settings), result_(result) {
        shortest_ = std::numeric_limits<std::size_t>::max();
        for (const DagChain& chain : chains) shortest_ = std::min(shortest_, chain.draws);
    }

    void find() {
        std::vector<std::vector<Series>> series;
        EdgeDraws draws(chains_.size(), shortest_);
        for (std::size_t word = 0; word < words_for(nodes_); ++word) {
            // Where there are many variables, nearly all are never parents.
            const std::uint64_t ever = shortest_ > 0 ? ever_in(word) : ~std::uint64_t{0};
            if (ever != 0) {
                series.resize(word_bits, std::vector<Series>(chains_.size()));
                for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
                    unpack(word, chain, series);
                }
            }
            const std::size_t first = word * word_bits;
            for (std::size_t source = first; source < std::min(nodes_, first + word_bits);
                 ++source) {
                if ((ever >> (source - first) & 1) == 0) {
                    set_never(source);
                    continue;
                }
                draws.series.swap(series[source - first]);
                find_edge(source, draws);
                draws.series.swap(series[source - first]);
            }
        }
    }

  private:
    // The parents in one word that the node has in any draw.
    std::uint64_t ever_in(std::size_t word) const {
        const std::size_t step = nodes_ * words_for(nodes_);
        std::uint64_t ever = 0;
        for (const DagChain& chain : chains_) {
            const std::uint64_t* from = chain.parents + node_ * words_for(nodes_) + word;
            for (std::size_t draw = 0; draw < chain.draws; ++draw) ever |= from[draw * step];
        }
        return ever;
    }

    void set_never(std::size_t source) {
        const std::size_t place = source * nodes_ + node_;
        for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
            result_.shares[chain * nodes_ * nodes_ + place] = 0.0;
        }
        result_.changes[place] = 0;
        result_.rhat[place] = result_.effective[place] = unknown;
    }

    // Sets the series of the parents in one word, by blocks of 64 draws.
    void unpack(std::size_t word, std::size_t chain, std::vector<std::vector<Series>>& series) {
        const std::size_t length = chains_[chain].draws;
        const std::size_t step = nodes_ * words_for(nodes_);
        const std::uint64_t* from = chains_[chain].parents + node_ * words_for(nodes_) + word;
        for (std::vector<Series>& of_parent : series) of_parent[chain].reset(length);
        std::array<std::uint64_t, word_bits> block{};
        for (std::size_t start = 0; start < length; start += word_bits) {
            const std::size_t there = std::min(word_bits, length - start);
            for (std::size_t i = 0; i < there; ++i) block[i] = from[(start + i) * step];
            std::fill(block.begin() + static_cast<std::ptrdiff_t>(there), block.end(), 0);
            transpose(block);
            for (std::size_t parent = 0; parent < word_bits; ++parent) {
                series[parent][chain].words[start / word_bits] = block[parent];
            }
        }
    }

    void find_edge(std::size_t source, EdgeDraws& draws) {
        const std::size_t place = source * nodes_ + node_;
        std::int64_t changes = 0;
        bool always = true;
        bool never = true;
        for (std::size_t chain = 0; chain < chains_.size(); ++chain) {
            const std::size_t length = chains_[chain].draws;
            const std::int64_t ones = draws.series[chain].ones();
            changes += draws.series[chain].changes();
            always = always && static_cast<std::size_t>(ones) == length;
            never = never && ones == 0;
            result_.shares[chain * nodes_ * nodes_ + place] =
                static_cast<double>(ones) / static_cast<double>(length);
        }
        result_.changes[place] = changes;
        result_.rhat[place] = result_.effective[place] = unknown;
        if (always || never || shortest_ < fewest_draws) return;
        result_.rhat[place] = draws.rhat();
        if (changes >= settings_.fewest_changes && !std::isnan(result_.rhat[place])) {
            result_.effective[place] = draws.effective(settings_.most_lags);
        }
    }

    std::span<const DagChain> chains_;
    std::size_t nodes_;
    std::size_t node_;
    MixingOptions settings_;
    EdgeMixing result_;
    std::size_t shortest_;
};

}  // namespace

void edge_mixing(std::span<const DagChain> chains, int nodes, const MixingOptions& settings,
                 const EdgeMixing& result, const RunOptions& options) {
    const auto count_of_nodes = static_cast<std::size_t>(nodes);
    run_tasks(count_of_nodes, count_of_nodes, options, [&](std::size_t node, TaskContext& context) {
        EdgesInto(chains, count_of_nodes, node, settings, result).find();
        context.advance(1);
    });
}

}  // namespace arcwise
