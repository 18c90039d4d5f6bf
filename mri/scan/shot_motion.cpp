#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/mri/scan/shot_motion.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

// Rᵀ v, both in mm or cycles/mm.
void multiply_transposed(const std::array<double, 9>& rotation, int dims, std::array<double, 3>& v) {
  std::array<double, 3> result{};
  for (int i = 0; i < dims; ++i)
    for (int j = 0; j < dims; ++j)
      result[static_cast<std::size_t>(i)] +=
          rotation[static_cast<std::size_t>(3 * j + i)] * v[static_cast<std::size_t>(j)];
  v = result;
}

}  // namespace

RigidMotion rigid_motion(const double* six) {
  RigidMotion motion;
  motion.translation_mm = {six[0], six[1], six[2]};
  const auto angle = [&](int axis) { return six[3 + axis] * std::numbers::pi / 180; };
  const double cx = std::cos(angle(0)), sx = std::sin(angle(0)), cy = std::cos(angle(1)),
               sy = std::sin(angle(1)), cz = std::cos(angle(2)), sz = std::sin(angle(2));
  motion.rotation = {cz * cy,
                     cz * sy * sx - sz * cx,
                     cz * sy * cx + sz * sx,
                     sz * cy,
                     sz * sy * sx + cz * cx,
                     sz * sy * cx - cz * sx,
                     -sy,
                     cy * sx,
                     cy * cx};
  return motion;
}

void RigidMotion::turn_back(double* k, int dims, const Grid& grid) const {
  std::array<double, 3> per_mm{};
  for (int axis = 0; axis < dims; ++axis) per_mm[static_cast<std::size_t>(axis)] = k[axis] / grid.pixel(axis);
  multiply_transposed(rotation, dims, per_mm);
  for (int axis = 0; axis < dims; ++axis) k[axis] = per_mm[static_cast<std::size_t>(axis)] * grid.pixel(axis);
}

void RigidMotion::turn_back_positions(double* vector, int dims, const Grid& grid) const {
  std::array<double, 3> mm{};
  for (int axis = 0; axis < dims; ++axis)
    mm[static_cast<std::size_t>(axis)] = vector[axis] * grid.pixel(axis);
  multiply_transposed(rotation, dims, mm);
  for (int axis = 0; axis < dims; ++axis)
    vector[axis] = mm[static_cast<std::size_t>(axis)] / grid.pixel(axis);
}

std::optional<RigidMotion> motion_of(const ScanPlan& plan, std::size_t readout) {
  const View<const double> motion = plan.reading.motion;
  if (motion.size() == 0) return std::nullopt;
  const Index place =
      std::lower_bound(plan.imaging.begin(), plan.imaging.end(), readout) - plan.imaging.begin();
  const Index of_shot = std::ssize(plan.imaging) / motion.shape()[0];
  return rigid_motion(motion.data() + 6 * (place / of_shot));
}

void require_motion(const ScanPlan& plan) {
  const View<const double> motion = plan.reading.motion;
  if (motion.size() == 0) return;
  const Index readouts = std::ssize(plan.imaging);
  if (motion.shape().rank() != 2 || motion.shape()[1] != 6 || readouts % motion.shape()[0] != 0)
    throw input_error(
        "motion of shape {} for {} imaging readouts, expected [shots, 6]: translations in mm and rotations "
        "in degrees for equal numbers of consecutive readouts",
        motion.shape().to_string(), readouts)
        .about("motion");
  for (Index i = 0; i < motion.size(); ++i) {
    const Index number = i % 6;
    if (!(std::abs(motion[i]) <= most_magnitude))
      throw input_error("motion: number {} of shot {} is {}, expected finite numbers up to {:g}", number,
                        i / 6, motion[i], most_magnitude)
          .about("motion");
    if (plan.dims == 2 && (number == 2 || number == 3 || number == 4) && motion[i] != 0)
      throw input_error(
          "shot {} moves through the slice ({} of number {}): of a slice only x, y and the rotation about z "
          "can be corrected, set the others to 0",
          i / 6, motion[i], number)
          .about("motion");
  }
}

}  // namespace larmor
