// Tabulates one node after the other: the families of all nodes at once would take more memory than
// their sums.
#include "arcwise/exact/scaled_sums.hpp"

#include <cmath>
#include <numbers>

#include "arcwise/exact/block_sums.hpp"

namespace arcwise {
namespace {

// So low that any product with it vanishes, by its exponent as by its mantissa.
constexpr std::int32_t exponent_of_zero = -(1 << 24);

}  // namespace

ScaledSums::ScaledSums(const FamilyTable& weights, const RunOptions& options)
    : mantissas_(weights.size()), exponents_(weights.size()) {
    const std::size_t n = weights.size();
    std::vector<double> offsets(n);
    run_tasks(n, n, options, [&](std::size_t v, TaskContext& context) {
        const NodeBlockSums sums(weights[v], static_cast<int>(v), static_cast<int>(n));
        offsets[v] = sums.offset();
        std::vector<double>& mantissa = mantissas_[v];
        std::vector<std::int32_t>& exponent = exponents_[v];
        mantissa.resize(size());
        exponent.resize(size());
        sums.log_sums(0, mantissa.data());
        for (std::size_t i = 0; i < mantissa.size(); ++i) {
            if (std::isinf(mantissa[i])) {
                mantissa[i] = 0.0;
                exponent[i] = exponent_of_zero;
                continue;
            }
            const double whole = std::floor(mantissa[i] * std::numbers::log2e);
            exponent[i] = static_cast<std::int32_t>(whole);
            mantissa[i] = std::exp(mantissa[i] - whole * std::numbers::ln2);
        }
        context.advance(1);
    });
    for (const double offset : offsets) total_offset_ += offset;
}

std::uint64_t ScaledSums::bytes(int nodes) {
    return (std::uint64_t{1} << nodes) / 2 * static_cast<std::uint64_t>(nodes) *
           (sizeof(double) + sizeof(std::int32_t));
}

}  // namespace arcwise
