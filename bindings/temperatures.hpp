// Paths to the posterior as Python gives them: inverse temperatures, or pairs with the place on the
// bridge.
#pragma once

#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <variant>
#include <vector>

#include "arcwise/spaces/proposal.hpp"

namespace arcwise::bindings {

// A number is an inverse temperature at the end of the bridge.
using PathPoint = std::variant<double, std::pair<double, double>>;
using Path = std::vector<PathPoint>;

inline Temperature temperature_at(const PathPoint& point) {
    if (const double* inverse = std::get_if<double>(&point)) return Temperature::at(*inverse);
    const auto& [inverse, bridge] = std::get<1>(point);
    return Temperature::at(inverse, bridge);
}

inline std::vector<Temperature> temperatures_along(const Path& path) {
    std::vector<Temperature> result;
    result.reserve(path.size());
    for (const PathPoint& point : path) result.push_back(temperature_at(point));
    return result;
}

inline std::vector<std::pair<double, double>> points_of(
    const std::vector<Temperature>& temperatures) {
    std::vector<std::pair<double, double>> points;
    points.reserve(temperatures.size());
    for (const Temperature& each : temperatures) points.emplace_back(each.inverse, each.bridge);
    return points;
}

}  // namespace arcwise::bindings
