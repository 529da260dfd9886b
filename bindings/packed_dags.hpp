// DAGs as Python hands them over: the parents of every node as bits.
#pragma once

#include "arcwise/support/bits.hpp"
#include "gate.hpp"

namespace arcwise::bindings {

// DAGs x nodes x words.
using PackedDags =
    nb::ndarray<const std::uint64_t, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

inline int nodes_of(const PackedDags& parents) {
    if (parents.shape(2) != words_for(parents.shape(1))) {
        throw Error(ErrorKind::argument,
                    "The parents are not packed as 64 nodes to a word in the last dimension.");
    }
    return static_cast<int>(parents.shape(1));
}

}  // namespace arcwise::bindings
