// A state as bytes, and back.
#include "arcwise/spaces/space.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Far above what rounding leaves between two times a weight is summed up anew, and far below what
// another state or other scores would make of it.
constexpr double same_weight = 1e-6;

}  // namespace

void State::save(ByteWriter& out) const {
    out.put(exact_code());
    out.put(weight_.value);
    out.put(static_cast<std::uint64_t>(weight_.impossible));
    out.put(accepted_);
}

void State::restore(ByteReader& in) {
    const std::vector<std::uint16_t> code = in.get_vector<std::uint16_t>();
    const double value = in.get<double>();
    const auto impossible = in.get<std::uint64_t>();
    const auto accepted = in.get<std::uint64_t>();
    try {
        decode(code);
    } catch (const Error&) {
        ByteReader::damaged();
    }
    const double scale = std::max(1.0, std::abs(weight_.value));
    if (static_cast<std::uint64_t>(weight_.impossible) != impossible ||
        !(std::abs(weight_.value - value) <= same_weight * scale)) {
        throw Error(ErrorKind::file_format,
                    "The saved state has another weight than the scores give it; go on with the "
                    "scores it was saved with.");
    }
    // The weight as it was, with the rounding its way here has left in it.
    weight_.value = value;
    accepted_ = accepted;
}

}  // namespace arcwise
