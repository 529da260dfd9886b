// A space of the core as Python holds it.
#pragma once

#include <memory>

#include "arcwise/chains/record.hpp"
#include "arcwise/spaces/space.hpp"
#include "gate.hpp"

namespace arcwise::bindings {

struct PythonSpace {
    std::shared_ptr<const Space> space;
    std::shared_ptr<const Unfolding> unfolding;  // of the sums it stands on

    // What is recorded of its states: over all nodes, where some were folded.
    RecordOptions recording(RecordOptions options) const {
        options.unfolding = unfolding;
        return options;
    }
};

}  // namespace arcwise::bindings
