// Weights of states, the tempered targets made of them, and what a move proposes.
#pragma once

#include <limits>
#include <span>

namespace arcwise {

// The weight of a state, a product of factors, mostly one for each node. Where constraints leave a
// node no parent set, its factor and the weight are zero; the factors that are zero are counted,
// and `value` has something finite in their place, so that tempered chains can pass through states
// which the posterior excludes.
struct LogWeight {
    double value = 0.0;
    int zero_factors = 0;
};

inline LogWeight operator+(const LogWeight& a, const LogWeight& b) {
    return {a.value + b.value, a.zero_factors + b.zero_factors};
}
inline LogWeight operator-(const LogWeight& a, const LogWeight& b) {
    return {a.value - b.value, a.zero_factors - b.zero_factors};
}
inline LogWeight sum_of(std::span<const LogWeight> parts) {
    LogWeight sum;
    for (const LogWeight& part : parts) sum = sum + part;
    return sum;
}

// A tempered target: e^(inverse * value - penalty * zero_factors), up to a constant. At inverse 1
// the penalty is infinite and the target is the posterior; at inverse 0 both are 0 and it is
// uniform.
//
// In spaces that have a bridge, states have other weights on the way to the modular posterior: with
// `bridge` 0 those of the order-modular posterior, with 1 those of the modular one. Other spaces do
// not look at it.
struct Temperature {
    double inverse = 1.0;
    double penalty = std::numeric_limits<double>::infinity();
    double bridge = 1.0;

    double log_density(const LogWeight& weight) const {
        const double forbidden = weight.zero_factors == 0 ? 0.0 : penalty * weight.zero_factors;
        return inverse * weight.value - forbidden;
    }

    // What no state of weight zero passes, and is the posterior asked for.
    bool excludes_zero_weights() const {
        return penalty == std::numeric_limits<double>::infinity();
    }
    bool is_posterior() const { return excludes_zero_weights() && bridge >= 1.0; }

    // The path from the uniform distribution to the posterior, its end included.
    static Temperature at(double inverse, double bridge = 1.0) {
        if (inverse >= 1.0) return {.bridge = bridge};
        return {inverse, penalty_scale * inverse / (1.0 - inverse), bridge};
    }

    // A point of the path between two others.
    static Temperature between(const Temperature& low, const Temperature& high, double share) {
        return at(low.inverse + share * (high.inverse - low.inverse),
                  low.bridge + share * (high.bridge - low.bridge));
    }

    static constexpr double penalty_scale = 5.0;
};

struct Proposal {
    int move = 0;            // which move of the space's table it is
    bool possible = true;    // false: there is nowhere to go, the chain stays
    bool refused = false;    // by the move itself, with all the probability there is to refuse it
    LogWeight weight = {};   // of the state proposed
    double log_ratio = 0.0;  // ln of (probability to propose the way back / the way there)
};

}  // namespace arcwise
