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

/// One interpretation of a trajectory, and the range of its end as fractions of the edge of k-space.
struct Reading {
  TrajectoryUnits units;
  std::string name;
  std::vector<double> scale;
  double low = 0.9, high = 1.1;
  bool offered = true;  ///< or known, but not in TrajectoryUnits
};

std::vector<Reading> readings(std::size_t axes, const std::array<Index, 3>& matrix, const Vec3& fov_mm,
                              const UnitEvidence& evidence) {
  using enum TrajectoryUnits;
  std::vector<Reading> result{
      {normalised, to_string(normalised), scales(normalised, axes, matrix, fov_mm), 0.8, 1.02}};
  for (const TrajectoryUnits units : {cycles_per_fov, radians, per_metre, radians_per_metre})
    result.push_back({units, to_string(units), scales(units, axes, matrix, fov_mm)});
  // Units that are not options: data in these units must be scaled.
  const auto not_offered = [&](TrajectoryUnits units, double factor, const char* name, double low,
                               double high) {
    Reading reading{units, name, scales(units, axes, matrix, fov_mm), low, high, false};
    for (double& scale : reading.scale) scale *= factor;
    result.push_back(reading);
  };
  not_offered(per_metre, 1000, "1/mm", 0.9, 1.1);
  not_offered(per_metre, 100, "1/cm", 0.9, 1.1);
  not_offered(radians_per_metre, 1000, "rad/mm", 0.9, 1.1);
  not_offered(radians_per_metre, 100, "rad/cm", 0.9, 1.1);
  not_offered(normalised, 0.5, "-1 to 1", 0.9, 1.02);
  Reading recon{normalised, "normalised to the recon pixel", std::vector<double>(axes, 1.0), 0.8, 1.02};
  bool other = false, known = true;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double n = static_cast<double>(evidence.recon_matrix[axis]);
    known = known && n > 0 && evidence.recon_fov_mm[axis] > 0;
    if (!known) break;
    recon.scale[axis] = fov_mm[axis] / static_cast<double>(matrix[axis]) * n / evidence.recon_fov_mm[axis];
    other = other || (matrix[axis] > 1 && std::abs(recon.scale[axis] - 1) > 0.05);
  }
  if (known && other) result.push_back(recon);
  return result;
}

// True if the steps between samples are plausible for a readout: neither so large that the field of view
// aliases nor smaller than in any practical readout, with realistic gradients.
bool plausible(const Reading& reading, const std::array<Index, 3>& matrix, const Vec3& fov_mm,
               const UnitEvidence& evidence) {
  constexpr double hertz_per_tesla = 42.577e6;
  double cells = 0, gradient = 0;
  for (std::size_t axis = 0; axis < std::min(reading.scale.size(), evidence.largest_step.size()); ++axis) {
    if (matrix[axis] <= 1) continue;
    const double step = evidence.largest_step[axis] * reading.scale[axis] * static_cast<double>(matrix[axis]);
    cells = std::max(cells, step);
    if (evidence.dwell_us > 0)
      gradient =
          std::max(gradient, 1e3 * step / (fov_mm[axis] * 1e-3 * hertz_per_tesla * evidence.dwell_us * 1e-6));
  }
  return cells >= 0.2 && cells <= 1.1 && (evidence.dwell_us <= 0 || (gradient >= 1 && gradient <= 250));
}

// Requested units that extend beyond this multiple of the edge are a mistake.
constexpr double farthest_reach = 2;
// A smaller part of k-space than this is not accepted.
constexpr double least_reach = 0.1;

/// Interpretations in which a trajectory ends at the edge of k-space, and those in which it consists of
/// readouts covering a part of k-space: with units that are options, and others.
struct Fitting {
  std::vector<Reading> whole, partial, other_partial;
};

Fitting fitting_readings(const std::vector<double>& largest, const std::array<Index, 3>& matrix,
                         const Vec3& fov_mm, const UnitEvidence& evidence) {
  Fitting fitting;
  for (const Reading& reading : readings(largest.size(), matrix, fov_mm, evidence)) {
    const double edge = reach(largest, reading.scale, matrix);
    if (edge >= reading.low && edge <= reading.high)
      fitting.whole.push_back(reading);
    else if (edge >= least_reach && edge < reading.low && plausible(reading, matrix, fov_mm, evidence))
      (reading.offered ? fitting.partial : fitting.other_partial).push_back(reading);
  }
  return fitting;
}

// Units that are not options can make the interpretation as a part of k-space doubtful, or impossible if the
// trajectory extends farther in them.
void compare_with_others(const Fitting& found, const Reading& taken, const std::vector<double>& largest,
                         const std::array<Index, 3>& matrix, UnitDecision& decision) {
  const auto percent = [&](const Reading& reading) { return 100 * reach(largest, reading.scale, matrix); };
  decision.text += fmt::format(", which reaches {:.0f} % of the encoded matrix", percent(taken));
  for (const Reading& other : found.other_partial) {
    if (percent(other) > percent(taken))
      throw input_error(
          "trajectory units are ambiguous: maxima {} reach {:.0f} % of the encoded matrix as {}, and {:.0f} "
          "% as {}; give the units, or scale them",
          maxima(largest), percent(taken), taken.name, percent(other), other.name)
          .about("traj_units");
    decision.text += fmt::format("{} {:.0f} % in {}", decision.doubtful ? "," : "; it would reach",
                                 percent(other), other.name);
    decision.doubtful = true;
  }
  if (decision.doubtful) decision.text += ": say which units these are, or scale them";
}

}  // namespace

const char* to_string(TrajectoryUnits units) {
  constexpr const char* names[] = {"auto", "normalised", "cycles/fov", "radians", "1/m", "rad/m"};
  return names[static_cast<std::size_t>(units)];
}

UnitDecision decide_units(TrajectoryUnits asked, const std::vector<double>& largest,
                          const std::array<Index, 3>& encoded_matrix, const Vec3& encoded_fov_mm,
                          const UnitEvidence& evidence) {
  UnitDecision decision;
  decision.largest = largest;
  if (std::all_of(largest.begin(), largest.end(), [](double value) { return value == 0; }))
    throw input_error("trajectory is zero everywhere: the file holds no k-space coordinates; give them")
        .about("trajectory");
  const std::string matrix = fmt::format("{}×{}×{}", encoded_matrix[0], encoded_matrix[1], encoded_matrix[2]);
  const Fitting found = fitting_readings(largest, encoded_matrix, encoded_fov_mm, evidence);

  if (asked != TrajectoryUnits::automatic) {
    decision.units = asked;
    decision.scale = scales(asked, largest.size(), encoded_matrix, encoded_fov_mm);
    const double edge = reach(largest, decision.scale, encoded_matrix);
    if (!(edge <= farthest_reach))
      throw input_error(
          "trajectory out of range: maxima {} in units {} reach {:.3g} times the edge of the encoded matrix "
          "{}; check the units and the field of view",
          maxima(largest), to_string(asked), edge, matrix)
          .about("traj_units,fov");
    decision.text =
        fmt::format("trajectory units: {} as requested (maxima {}, {:.0f} % of the encoded matrix)",
                    to_string(asked), maxima(largest), 100 * edge);
    const std::string name = to_string(asked);
    const auto is_asked = [&](const Reading& reading) { return reading.name == name; };
    if (std::any_of(found.whole.begin(), found.whole.end(), is_asked) || evidence.largest_step.empty() ||
        plausible({asked, name, decision.scale}, encoded_matrix, encoded_fov_mm, evidence))
      return decision;
    const auto other = std::find_if(found.whole.begin(), found.whole.end(), [&](const Reading& reading) {
      return plausible(reading, encoded_matrix, encoded_fov_mm, evidence);
    });
    decision.doubtful = other != found.whole.end();
    if (decision.doubtful) decision.text += fmt::format("; as {} they would reach its edge", other->name);
    return decision;
  }

  std::vector<Reading> fitting;
  std::string other;
  for (const Reading& reading : found.whole) {
    if (reading.offered)
      fitting.push_back(reading);
    else
      other = reading.name;
  }
  const bool whole = !fitting.empty();
  if (!whole && other.empty()) fitting = found.partial;
  if (fitting.size() > 1)
    throw input_error(
        "trajectory units are ambiguous: maxima {} with encoded matrix {} fit {} and {}; give the units",
        maxima(largest), matrix, fitting[0].name, fitting[1].name)
        .about("traj_units");
  if (fitting.empty())
    throw input_error(
        "trajectory units not recognised: maxima {} with encoded matrix {} are neither normalised (0.4 to "
        "0.51), radians (near 3.14), cycles/fov (near half the matrix), 1/m nor rad/m{}; give the units: "
        "normalised, cycles/fov, radians, 1/m or rad/m",
        maxima(largest), matrix, other.empty() ? "" : fmt::format(" (they look like {}: scale them)", other))
        .about("traj_units");
  const Reading& taken = fitting.front();
  decision.units = taken.units;
  decision.scale = taken.scale;
  decision.text =
      fmt::format("trajectory units: {} (maxima {}, encoded matrix {})", taken.name, maxima(largest), matrix);
  if (!whole) compare_with_others(found, taken, largest, encoded_matrix, decision);
  return decision;
}

}  // namespace larmor
