#include "arcwise/imputation/counted_family.hpp"

#include <algorithm>
#include <utility>

#include "arcwise/numerics/log_kernels.hpp"
#include "arcwise/support/error.hpp"

namespace arcwise {

CountedFamily::CountedFamily(int node, std::vector<int> parents, std::vector<double> pseudo_counts,
                             std::span<const int> levels)
    : node_(node),
      parents_(std::move(parents)),
      levels_(static_cast<std::size_t>(levels[static_cast<std::size_t>(node)])),
      configuration_steps_(parents_.size()),
      pseudo_counts_(std::move(pseudo_counts)) {
    std::size_t configurations = 1;
    for (std::size_t i = parents_.size(); i-- > 0;) {
        configuration_steps_[i] = configurations;
        configurations *= static_cast<std::size_t>(levels[static_cast<std::size_t>(parents_[i])]);
    }
    if (pseudo_counts_.size() != configurations * levels_) {
        throw Error(ErrorKind::argument, "A family needs a pseudo-count for each of its cells.");
    }
    pseudo_sums_.assign(configurations, 0.0);
    for (std::size_t cell = 0; cell < pseudo_counts_.size(); ++cell) {
        // Logarithms are of normal numbers above zero.
        if (!(pseudo_counts_[cell] > 1e-300)) {
            throw Error(ErrorKind::argument, "Pseudo-counts must be above zero.");
        }
        pseudo_sums_[cell / levels_] += pseudo_counts_[cell];
    }
    counts_.assign(pseudo_counts_.size(), 0);
    sums_.assign(configurations, 0);
    log_counts_.resize(counts_.size());
    log_predictives_.resize(counts_.size());
    for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
        log_counts_[cell] = log_kernel(pseudo_counts_[cell], 0.0);
        log_predictives_[cell] = log_counts_[cell] - log_kernel(pseudo_sums_[cell / levels_], 0.0);
    }
}

bool CountedFamily::holds(int variable) const {
    return variable == node_ ||
           std::find(parents_.begin(), parents_.end(), variable) != parents_.end();
}

FamilyCell CountedFamily::step_of(int variable) const {
    if (variable == node_) return {1, 0};
    const auto place = std::find(parents_.begin(), parents_.end(), variable);
    const std::size_t step =
        configuration_steps_[static_cast<std::size_t>(place - parents_.begin())];
    return {step * levels_, step};
}

double CountedFamily::found_logarithms(FamilyCell at) {
    log_counts_[at.cell] = log_kernel(pseudo_counts_[at.cell] + counts_[at.cell], 0.0);
    return log_kernel(pseudo_sums_[at.configuration] + sums_[at.configuration], 0.0);
}

void CountedFamily::look_up(LogCounts& known) {
    const auto equal = [](const std::vector<double>& numbers) {
        return std::all_of(numbers.begin(), numbers.end(),
                           [&](double number) { return number == numbers.front(); });
    };
    if (!equal(pseudo_counts_) || !equal(pseudo_sums_)) return;
    known_counts_ = known.of(pseudo_counts_.front());
    known_sums_ = known.of(pseudo_sums_.front());
}

const double* LogCounts::of(double pseudo_count) {
    std::vector<double>& logs = known_[pseudo_count];
    if (logs.empty()) {
        logs.resize(rows_ + 1);
        for (std::size_t count = 0; count <= rows_; ++count) {
            logs[count] = log_kernel(pseudo_count + static_cast<double>(count), 0.0);
        }
    }
    return logs.data();
}

}  // namespace arcwise
