// How often each kind of move is tried.
#pragma once

#include <span>

#include "arcwise/support/error.hpp"

namespace arcwise {

// Throws `argument` unless the weights are not negative and not all zero.
inline void refuse_bad_weights(std::span<const double> weights) {
    double total = 0.0;
    for (const double weight : weights) {
        if (!(weight >= 0.0)) {
            throw Error(ErrorKind::argument, "A move has a negative probability; give 0 or more.");
        }
        total += weight;
    }
    if (!(total > 0.0)) {
        throw Error(ErrorKind::argument,
                    "All moves have the probability 0; give one of them more.");
    }
}

}  // namespace arcwise
