// The Philox rounds; constants are those of the paper's table 2 and section 3.3.
#include "arcwise/support/random.hpp"

#include "arcwise/support/wide_product.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t multiplier_0 = 0xD2E7470EE14C6C93ULL;
constexpr std::uint64_t multiplier_1 = 0xCA5A826395121157ULL;
constexpr std::uint64_t key_step_0 = 0x9E3779B97F4A7C15ULL;  // golden ratio
constexpr std::uint64_t key_step_1 = 0xBB67AE8584CAA73BULL;  // sqrt(3) - 1
constexpr int rounds = 10;

}  // namespace

std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> counter,
                                    std::array<std::uint64_t, 2> key) {
    for (int round = 0; round < rounds; ++round) {
        const WideProduct product_0 = wide_product(multiplier_0, counter[0]);
        const WideProduct product_1 = wide_product(multiplier_1, counter[2]);
        counter = {product_1.high ^ counter[1] ^ key[0], product_1.low,
                   product_0.high ^ counter[3] ^ key[1], product_0.low};
        key[0] += key_step_0;
        key[1] += key_step_1;
    }
    return counter;
}

void Random::refill() {
    block_ = philox({position_++, 0, 0, 0}, key_);
    unused_ = 4;
}

void Random::save(ByteWriter& out) const {
    for (const std::uint64_t word : key_) out.put(word);
    out.put(position_);
    out.put(static_cast<std::uint64_t>(unused_));
}

void Random::restore(ByteReader& in) {
    for (std::uint64_t& word : key_) word = in.get<std::uint64_t>();
    position_ = in.get<std::uint64_t>();
    const auto unused = in.get<std::uint64_t>();
    if (unused > block_.size() || (unused > 0 && position_ == 0)) ByteReader::damaged();
    unused_ = static_cast<unsigned>(unused);
    if (unused_ > 0) block_ = philox({position_ - 1, 0, 0, 0}, key_);
}

// The high word of bits * count is uniform once the low words below 2^64 mod count are refused
// (Lemire, "Fast random integer generation in an interval", 2019).
std::uint64_t Random::unscripted_below(std::uint64_t count) {
    WideProduct product = wide_product(bits(), count);
    if (product.low < count) {
        const std::uint64_t refused = (0 - count) % count;
        while (product.low < refused) product = wide_product(bits(), count);
    }
    return product.high;
}

std::size_t Random::choose(std::span<const double> weights) {
    if (script_ != nullptr) return script_->choose(weights);
    double total = 0.0;
    for (const double weight : weights) total += weight;
    double left = uniform() * total;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] <= 0.0) continue;
        last = i;  // takes what rounding leaves after the last weight
        left -= weights[i];
        if (left < 0.0) return i;
    }
    return last;
}

}  // namespace arcwise
