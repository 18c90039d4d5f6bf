#include <larmor/mri/scan/units.hpp>

#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

std::vector<double> scales(TrajectoryUnits units, std::size_t axes, const std::array<Index, 3>& matrix,
                           const Vec3& fov_mm) {
  std::vector<double> scale(axes, 1.0);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double n = static_cast<double>(matrix[axis]);
    const double pixel_m = fov_mm[axis] / n * 1e-3;
    switch (units) {
      case TrajectoryUnits::cycles_per_fov:
        scale[axis] = 1 / n;
        break;
      case TrajectoryUnits::radians:
        scale[axis] = 0.5 / std::numbers::pi;
        break;
      case TrajectoryUnits::per_metre:
        scale[axis] = pixel_m;
        break;
      case TrajectoryUnits::radians_per_metre:
        scale[axis] = 0.5 * pixel_m / std::numbers::pi;
        break;
      default:
        break;
    }
  }
  return scale;
}

// The largest |k| of any axis as a fraction of the edge of the encoded matrix. An axis of one pixel has no
// edge.
double reach(const std::vector<double>& largest, const std::vector<double>& scale,
             const std::array<Index, 3>& matrix) {
  double result = 0;
  for (std::size_t axis = 0; axis < largest.size(); ++axis)
    if (matrix[axis] > 1) result = std::max(result, largest[axis] * scale[axis] / 0.5);
  return result;
}

std::string maxima(const std::vector<double>& largest) {
  std::string text;
  for (std::size_t axis = 0; axis < largest.size(); ++axis)
    text += fmt::format("{}|k{}| {:.4g}", axis == 0 ? "" : ", ", "xyz"[axis], largest[axis]);
  return text;
}

// How far a trajectory may end from the edge and still be recognised, as fractions of the edge.
struct Window {
  TrajectoryUnits units;
  double low, high;
};
constexpr Window windows[] = {{TrajectoryUnits::normalised, 0.8, 1.02},
                              {TrajectoryUnits::cycles_per_fov, 0.9, 1.1},
                              {TrajectoryUnits::radians, 0.9, 1.1}};
// Asked-for units that reach farther than this many times the edge are a mistake.
constexpr double farthest_reach = 2;

}  // namespace

const char* to_string(TrajectoryUnits units) {
  constexpr const char* names[] = {"auto", "normalised", "cycles/fov", "radians", "1/m", "rad/m"};
  return names[static_cast<std::size_t>(units)];
}

UnitDecision decide_units(TrajectoryUnits asked, const std::vector<double>& largest,
                          const std::array<Index, 3>& encoded_matrix, const Vec3& encoded_fov_mm) {
  UnitDecision decision;
  decision.largest = largest;
  const std::size_t axes = largest.size();
  if (std::all_of(largest.begin(), largest.end(), [](double value) { return value == 0; }))
    throw input_error("trajectory is zero everywhere: the file holds no k-space coordinates; give them")
        .about("trajectory");
  const std::string matrix = fmt::format("{}×{}×{}", encoded_matrix[0], encoded_matrix[1], encoded_matrix[2]);

  if (asked != TrajectoryUnits::automatic) {
    decision.units = asked;
    decision.scale = scales(asked, axes, encoded_matrix, encoded_fov_mm);
    const double edge = reach(largest, decision.scale, encoded_matrix);
    if (!(edge <= farthest_reach))
      throw input_error(
          "trajectory out of range: maxima {} in units {} reach {:.3g} times the edge of the encoded matrix "
          "{}; check the units and the field of view",
          maxima(largest), to_string(asked), edge, matrix)
          .about("trajectory_units,fov");
    decision.text = fmt::format("trajectory units: {} as asked (maxima {}, {:.0f} % of the encoded matrix)",
                                to_string(asked), maxima(largest), 100 * edge);
    return decision;
  }

  std::vector<TrajectoryUnits> fitting;
  for (const Window& window : windows) {
    const double edge =
        reach(largest, scales(window.units, axes, encoded_matrix, encoded_fov_mm), encoded_matrix);
    if (edge >= window.low && edge <= window.high) fitting.push_back(window.units);
  }
  if (fitting.size() > 1)
    throw input_error(
        "trajectory units are ambiguous: maxima {} with encoded matrix {} fit {} and {}; say which",
        maxima(largest), matrix, to_string(fitting[0]), to_string(fitting[1]))
        .about("trajectory_units");
  if (fitting.empty())
    throw input_error(
        "trajectory units not recognised: maxima {} with encoded matrix {} are neither normalised (0.4 to "
        "0.51), radians (near 3.14) nor cycles/fov (near half the matrix); say which they are: normalised, "
        "cycles/fov, radians, 1/m or rad/m",
        maxima(largest), matrix)
        .about("trajectory_units");
  decision.units = fitting.front();
  decision.scale = scales(decision.units, axes, encoded_matrix, encoded_fov_mm);
  decision.text = fmt::format("trajectory units: {} (maxima {}, encoded matrix {})",
                              to_string(decision.units), maxima(largest), matrix);
  return decision;
}

}  // namespace larmor
