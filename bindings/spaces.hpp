// A space of the core as Python holds it.
#pragma once

#include <memory>

#include "arcwise/spaces/space.hpp"
#include "gate.hpp"

namespace arcwise::bindings {

struct PythonSpace {
    std::shared_ptr<const Space> space;
};

}  // namespace arcwise::bindings
