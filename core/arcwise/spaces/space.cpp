// A state as bytes, and back; and what is usual of moves.
#include "arcwise/spaces/space.hpp"

#include <algorithm>
#include <cmath>

#include "arcwise/support/error.hpp"

namespace arcwise {
namespace {

// Far above what rounding leaves between two times a weight is summed up anew, and far below what
// another state or other scores would make of it.
constexpr double same_weight = 1e-6;

void save_weight(const LogWeight& weight, ByteWriter& out) {
    out.put(weight.value);
    out.put(static_cast<std::uint64_t>(weight.zero_factors));
}

// Gives a weight that was summed up anew the rounding its way has left in the saved one.
void restore_weight(LogWeight& weight, ByteReader& in) {
    const double value = in.get<double>();
    const auto zero_factors = in.get<std::uint64_t>();
    const double scale = std::max(1.0, std::abs(weight.value));
    if (static_cast<std::uint64_t>(weight.zero_factors) != zero_factors ||
        !(std::abs(weight.value - value) <= same_weight * scale)) {
        throw Error(ErrorKind::file_format,
                    "The saved state has another weight than the scores give it; go on with the "
                    "scores it was saved with.");
    }
    weight.value = value;
}

}  // namespace

void State::save(ByteWriter& out) {
    out.put(exact_code());
    save_weight(weight_, out);
    out.put(accepted_);
    for (const LogWeight& part : exact_parts()) save_weight(part, out);
}

void State::become(State& other) {
    decode(other.exact_code());
    weight_ = other.weight_;
    accepted_ = other.accepted_;
    std::ranges::copy(other.exact_parts(), exact_parts().begin());
}

void State::restore(ByteReader& in) {
    try {
        decode(in.get_vector<std::uint16_t>());
    } catch (const Error&) {
        ByteReader::damaged();
    }
    restore_weight(weight_, in);
    accepted_ = in.get<std::uint64_t>();
    for (LogWeight& part : exact_parts()) restore_weight(part, in);
}

UsualMoves Space::usual_moves(std::uint64_t, TaskContext*) const {
    UsualMoves usual;
    for (const MoveTable::Kind& kind : moves_.kinds()) {
        usual.shares.push_back(kind.share);
        usual.work.push_back(kind.share > 0.0 ? 1.0 / kind.share : 1.0);
    }
    return usual;
}

}  // namespace arcwise
