#include <larmor/core/format_error.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <cmath>
#include <numbers>
#include <vector>

namespace larmor {
namespace {

using std::numbers::pi;

// The curve k(θ) = r(θ)(cos θ, sin θ) whose neighbouring turns, of all interleaves together, are 1/FOV(r)
// apart: dr/dθ = interleaves / (2π FOV(r)), with FOV decreasing linearly from the centre to the edge of
// k-space. Lengths in 1/m.
class SpiralCurve {
 public:
  explicit SpiralCurve(const SpiralOptions& options)
      : fov_m_(options.fov_mm * 1e-3),
        edge_radius_(static_cast<double>(options.matrix) / (2 * fov_m_)),
        edge_density_(options.edge_density),
        interleaves_(static_cast<double>(options.interleaves)) {}

  double edge_radius() const { return edge_radius_; }
  double slope(double r) const { return interleaves_ / (2 * pi * fov(r)); }
  /// Length of curve per radian.
  double speed(double r) const { return std::hypot(r, slope(r)); }
  /// Curvature of a polar curve: |r² + 2r'² − r r''| / (r² + r'²)^(3/2), with r'' = r' dr'/dr.
  double curvature(double r) const {
    const double d1 = slope(r);
    const double d2 = -d1 * d1 * fov_change() / fov(r);
    return std::abs(r * r + 2 * d1 * d1 - r * d2) / std::pow(r * r + d1 * d1, 1.5);
  }

 private:
  double fov(double r) const { return fov_m_ + fov_change() * std::min(r, edge_radius_); }
  double fov_change() const { return fov_m_ * (edge_density_ - 1) / edge_radius_; }

  double fov_m_, edge_radius_, edge_density_, interleaves_;
};

struct PolarPoint {
  double r, theta;
};

constexpr Index longest_interleaf = 200'000;

// Follows the curve with the largest acceleration: tangential and centripetal part together stay within the
// slew limit, |dv/dt|² + (κ v²)² ≤ (γS)², v ≤ γG (v = |dk/dt|; Lustig et al. 2008). Curvature decreases along
// a spiral, so the greedy forward pass never has to brake.
std::vector<PolarPoint> time_optimal_samples(const SpiralCurve& curve, const SpiralOptions& options) {
  // The margin compensates the integration error of the finite steps.
  constexpr double margin = 0.99;
  constexpr int steps_per_dwell = 32;
  const double max_speed = margin * proton_hz_per_tesla * options.max_gradient_mt_per_m * 1e-3;
  const double max_acceleration = margin * proton_hz_per_tesla * options.max_slew_t_per_m_per_s;
  const double dt = options.dwell_us * 1e-6 / steps_per_dwell;

  std::vector<PolarPoint> samples;
  double r = 0, theta = 0, v = 0;
  while (r < curve.edge_radius()) {
    samples.push_back({r, theta});
    if (static_cast<Index>(samples.size()) > longest_interleaf)
      throw usage_error(
          "spiral interleaf needs more than {} samples: increase the number of interleaves, the dwell time "
          "or the gradient limits",
          longest_interleaf);
    for (int step = 0; step < steps_per_dwell; ++step) {
      const double centripetal = curve.curvature(r) * v * v;
      const double tangential =
          std::sqrt(std::max(0.0, max_acceleration * max_acceleration - centripetal * centripetal));
      const double next = std::min(v + tangential * dt, max_speed);
      // Midpoint rule along the curve.
      const double length = 0.5 * (v + next) * dt;
      const double half = r + 0.5 * length * curve.slope(r) / curve.speed(r);
      theta += length / curve.speed(half);
      r += length * curve.slope(half) / curve.speed(half);
      v = next;
    }
  }
  return samples;
}

void require_positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw usage_error("spiral with {} {}, expected a positive number", name, value);
}

}  // namespace

Trajectory variable_density_spiral(const SpiralOptions& options) {
  require_positive("field of view", options.fov_mm);
  require_positive("matrix", static_cast<double>(options.matrix));
  require_positive("interleaves", static_cast<double>(options.interleaves));
  require_positive("edge density", options.edge_density);
  require_positive("gradient limit", options.max_gradient_mt_per_m);
  require_positive("slew rate limit", options.max_slew_t_per_m_per_s);
  require_positive("dwell time", options.dwell_us);

  const auto samples = time_optimal_samples(SpiralCurve(options), options);
  const double pixel_m = options.fov_mm * 1e-3 / static_cast<double>(options.matrix);
  Trajectory trajectory;
  trajectory.readouts = options.interleaves;
  trajectory.samples_per_readout = static_cast<Index>(samples.size());
  trajectory.dwell_us = options.dwell_us;
  trajectory.k = Array<double>({trajectory.readouts * trajectory.samples_per_readout, 2});
  double* k = trajectory.k.data();
  for (Index leaf = 0; leaf < options.interleaves; ++leaf) {
    const double turn = 2 * pi * static_cast<double>(leaf) / static_cast<double>(options.interleaves);
    for (const auto& point : samples) {
      *k++ = point.r * pixel_m * std::cos(point.theta + turn);
      *k++ = point.r * pixel_m * std::sin(point.theta + turn);
    }
  }
  return trajectory;
}

}  // namespace larmor
