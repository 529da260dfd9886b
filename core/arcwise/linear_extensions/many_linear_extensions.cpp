// Linear extensions of many DAGs on several threads, each with a workspace of its own.
#include <algorithm>
#include <atomic>

#include "arcwise/linear_extensions/linear_extensions.hpp"
#include "arcwise/support/bits.hpp"

namespace arcwise {

void log_linear_extensions(const std::uint64_t* parents, int nodes, std::size_t budget,
                           std::span<double> log_counts, const RunOptions& options) {
    const std::size_t words = words_for(nodes);
    const std::size_t each = static_cast<std::size_t>(nodes) * words;
    const std::size_t workers =
        std::min(static_cast<std::size_t>(options.threads()), log_counts.size());
    // Counts take from microseconds to seconds, so a thread takes the next few when it is free.
    constexpr std::size_t piece = 16;
    std::atomic<std::size_t> next = 0;
    run_tasks(workers, log_counts.size(), options, [&](std::size_t, TaskContext& context) {
        LinearExtensions extensions(budget);
        while (true) {
            const std::size_t first = next.fetch_add(piece);
            if (first >= log_counts.size()) return;
            const std::size_t last = std::min(first + piece, log_counts.size());
            for (std::size_t i = first; i < last; ++i) {
                log_counts[i] = extensions.log_count(parents + i * each, nodes, &context);
                context.advance(1);
            }
        }
    });
}

}  // namespace arcwise
