#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Requested changes to the file's grids.
struct GridOptions {
  /// Recon matrix instead of the file's: {n} for x and y, {x, y} or {x, y, z}.
  std::vector<Index> matrix;
  /// Recon field of view instead of the file's in mm: {f} for x and y, {x, y} or {x, y, z}.
  std::vector<double> fov_mm;
  /// Solve on this many times the recon field of view (>= 1); 0: on the encoded field of view.
  double solve_fov = 0;
};

/// One grid: x, y, z.
struct Grid {
  std::array<Index, 3> matrix{1, 1, 1};
  Vec3 fov_mm{1, 1, 1};
  double pixel(int axis) const { return fov_mm[axis] / static_cast<double>(matrix[axis]); }
  friend bool operator==(const Grid&, const Grid&) = default;
  /// {z, y, x}, or {y, x} when volume is false.
  Shape shape(bool volume) const {
    return volume ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]};
  }
};

/// Encoded: the grid to which the file's normalised k refers. Recon: the written grid. Solve: the grid of the
/// iterations, with recon's pixel size and a field of view at least as large; voxel floor(N/2) is the common
/// centre.
struct Grids {
  Grid encoded, recon, solve;
  bool volume = false;    ///< three-dimensional: z is encoded, not a slice
  bool fov_known = true;  ///< given by the scan or the options; false: pixels of 1 mm are assumed
  std::array<double, 3> k_scale{1, 1, 1};  ///< cycles/recon pixel = k_scale × cycles/encoded pixel
  std::vector<std::string> notes, warnings;
  Shape solve_shape() const { return solve.shape(volume); }
  Shape recon_shape() const { return recon.shape(volume); }
};

/// Applies the rules of encodedSpace and reconSpace. volume: the trajectory has a z axis to be resolved.
/// Throws Error (input) for fields of view that are zero, not finite or apparently in metres (about "fov");
/// Error (usage) for overrides out of range. cartesian_z: z is sampled on planes (a stack), so that it must
/// not be solved on a larger field of view. along_x: all readouts are lines along x, whose oversampling
/// widens the field of view of x only.
Grids plan_grids(const Encoding& encoding, bool volume, bool cartesian_z, bool along_x,
                 const GridOptions& options);

/// Throws Error (input) naming both grids if coil maps with pixels {(z,) y, x} have neither the solve grid
/// nor the recon grid.
void require_maps_grid(const Grids& grids, const Shape& maps_shape);

/// The central part of `image` [..., (z,) y, x], voxel floor(N/2) on voxel floor(N/2); shape holds the
/// spatial axes. workers: their threads share the rows.
template <typename T>
Array<T> cropped(View<const T> image, const Shape& shape, const Context* workers = nullptr);

/// `image` [..., (z,) y, x] in the centre of larger spatial axes, voxel floor(N/2) on voxel floor(N/2);
/// outside it `outside` or, if not given, the nearest value. workers: their threads share the rows.
template <typename T>
Array<T> extended(View<const T> image, const Shape& shape, std::optional<T> outside,
                  const Context* workers = nullptr);

/// `image` with the filter cos²(πk) = ½ + ½ cos(2πk) of k-space along its last `dims` axes, k in
/// cycles/pixel. Beyond the border is 0.
template <typename T>
Array<std::complex<T>> hann_filtered(View<const std::complex<T>> image, int dims, const Context& ctx);

}  // namespace larmor
