// What the weights of a node's families are made into: their sum, or the largest of them.
#pragma once

namespace arcwise {

enum class Semiring { sum, maximum };

}  // namespace arcwise
