#include <larmor/mri/trajectory/trajectories.hpp>

#include <larmor/core/format_error.hpp>

#include <cmath>
#include <numbers>

namespace larmor {
namespace {

using std::numbers::phi;
using std::numbers::pi;

Trajectory empty_trajectory(Index readouts, Index samples, Index dims) {
  Trajectory trajectory;
  trajectory.k = Array<double>({readouts * samples, dims});
  trajectory.readouts = readouts;
  trajectory.samples_per_readout = samples;
  return trajectory;
}

void require_count(const char* name, Index count) {
  if (count < 1) throw usage_error("trajectory with {} {}, at least 1 is needed", count, name);
}

double fraction(double value) {
  return value - std::floor(value);
}

}  // namespace

double spoke_angle(Index spoke, const RadialOptions& options) {
  const double s = static_cast<double>(spoke), turn = options.centre_out ? 2 * pi : pi;
  switch (options.order) {
    case SpokeOrder::uniform:
      return turn * s / static_cast<double>(options.spokes);
    case SpokeOrder::golden:
      return turn * s / phi;
    case SpokeOrder::tiny_golden:
      return turn * s / (phi + options.tiny_golden_index - 1);
  }
  throw internal_error("unknown spoke order");
}

Trajectory radial_2d(const RadialOptions& options) {
  require_count("spokes", options.spokes);
  require_count("samples", options.samples);
  if (options.order == SpokeOrder::tiny_golden && options.tiny_golden_index < 1)
    throw usage_error("tiny golden angle of index {}, expected 1 or more", options.tiny_golden_index);
  auto trajectory = empty_trajectory(options.spokes, options.samples, 2);
  const double R = static_cast<double>(options.samples);
  double* k = trajectory.k.data();
  for (Index s = 0; s < options.spokes; ++s) {
    const double angle = spoke_angle(s, options);
    for (Index r = 0; r < options.samples; ++r, k += 2) {
      const double radius = options.centre_out ? static_cast<double>(r) / (2 * R)
                                               : static_cast<double>(r - options.samples / 2) / R;
      k[0] = radius * std::cos(angle);
      k[1] = radius * std::sin(angle);
    }
  }
  return trajectory;
}

Trajectory kooshball_3d(Index spokes, Index samples) {
  require_count("spokes", spokes);
  require_count("samples", samples);
  auto trajectory = empty_trajectory(spokes, samples, 3);
  double* k = trajectory.k.data();
  for (Index s = 0; s < spokes; ++s) {
    const double z = 2 * fraction(0.465571231876768 * static_cast<double>(s)) - 1;
    const double azimuth = 2 * pi * fraction(0.682327803828019 * static_cast<double>(s));
    const double across = std::sqrt(1 - z * z);
    for (Index r = 0; r < samples; ++r, k += 3) {
      const double radius = static_cast<double>(r) / (2 * static_cast<double>(samples));
      k[0] = radius * across * std::cos(azimuth);
      k[1] = radius * across * std::sin(azimuth);
      k[2] = radius * z;
    }
  }
  return trajectory;
}

namespace {

// turn(p): rotation of partition p in radians.
template <typename Turn>
Trajectory stacked(const RadialOptions& spokes, Index partitions, const Turn& turn) {
  require_count("partitions", partitions);
  const auto star = radial_2d(spokes);
  auto trajectory = empty_trajectory(star.readouts * partitions, star.samples_per_readout, 3);
  double* k = trajectory.k.data();
  for (Index s = 0; s < star.readouts; ++s) {
    const double* spoke = star.k.data() + s * star.samples_per_readout * 2;
    for (Index p = 0; p < partitions; ++p) {
      const double kz = static_cast<double>(p - partitions / 2) / static_cast<double>(partitions);
      const double c = std::cos(turn(p)), t = std::sin(turn(p));
      for (Index r = 0; r < star.samples_per_readout; ++r, k += 3) {
        k[0] = c * spoke[2 * r] - t * spoke[2 * r + 1];
        k[1] = t * spoke[2 * r] + c * spoke[2 * r + 1];
        k[2] = kz;
      }
    }
  }
  return trajectory;
}

}  // namespace

Trajectory stack_of_stars(const RadialOptions& spokes, Index partitions) {
  return stacked(spokes, partitions, [](Index) { return 0.0; });
}

Trajectory rotated_stack_of_stars(const RadialOptions& spokes, Index partitions) {
  const double step = pi / static_cast<double>(spokes.spokes);
  return stacked(spokes, partitions,
                 [step](Index p) { return step * fraction(static_cast<double>(p) / phi); });
}

Trajectory cartesian_points(const Shape& image_shape) {
  const int dims = image_shape.rank();
  if (dims < 1 || dims > 3) throw usage_error("Cartesian grid of {} dimensions, expected 1 to 3", dims);
  for (Index extent : image_shape) require_count("grid points along an axis", extent);
  const Index line = image_shape[dims - 1];
  auto trajectory = empty_trajectory(image_shape.size() / line, line, dims);
  double* k = trajectory.k.data();
  for (Index point = 0; point < image_shape.size(); ++point) {
    Index rest = point;
    for (int axis = dims - 1; axis >= 0; --axis, ++k) {
      const Index extent = image_shape[axis];
      *k = static_cast<double>(rest % extent - extent / 2) / static_cast<double>(extent);
      rest /= extent;
    }
  }
  return trajectory;
}

}  // namespace larmor
