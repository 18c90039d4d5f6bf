#pragma once

#include <larmor/core/data/image.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

// Not part of the public interface.

namespace larmor {

inline double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// True if the directions are orthogonal unit vectors, to the accuracy of headers.
inline bool orthonormal(const ImageGeometry& image) {
  constexpr double tolerance = 1e-2;
  const auto near = [](const Vec3& a, const Vec3& b, double value) {
    return std::abs(dot(a, b) - value) < tolerance;
  };
  const auto& [x, y, z] = std::tie(image.read_dir, image.phase_dir, image.slice_dir);
  return near(x, x, 1) && near(y, y, 1) && near(z, z, 1) && near(x, y, 0) && near(x, z, 0) && near(y, z, 0);
}

/// In millimetres; 1 if the field of view gives no size.
inline double voxel(const ImageGeometry& image, std::size_t axis) {
  const double size = image.fov_mm[axis] / static_cast<double>(std::max<Index>(image.matrix[axis], 1));
  return std::isfinite(size) && size > 0 ? size : 1;
}

}  // namespace larmor
