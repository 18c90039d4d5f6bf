#pragma once

#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/spread/interpolator.hpp>

#include <array>
#include <complex>
#include <memory>

namespace larmor::nufft {

struct PointImagesOptions {
  Index batch = 1;
  bool spread = true, interpolate = true;  ///< directions that will be used
};

/// Points spread onto images and read from them, without a transform: the first step from points to points.
/// All arrays are in the memory of the context's device.
template <typename T>
class PointImages {
 public:
  using C = std::complex<T>;
  /// points [n, dims] on the context's device, columns x, y, z, periodic with 1: 0 is the centre of cell 0.
  /// cells: x, y, z.
  PointImages(View<const double> points, const std::array<Index, 3>& cells,
              std::shared_ptr<const FittedKernel<T>> kernel, const PointImagesOptions& options, Context& ctx);

  /// images [count][z][y][x] = Σ_j values_j φ(· − point_j), values [count, points]; every cell is written.
  /// count: that of one block of for_coil_blocks().
  void spread(const C* values, C* images, Index count, Context& ctx) const;
  /// values_j = Σ_cells φ(cell − point_j) images, or added to values.
  void interpolate(const C* images, C* values, Index count, Context& ctx, bool accumulate) const;

  std::size_t scratch_bytes(const Context& ctx, Index count) const;
  std::size_t table_bytes() const { return gridding_->table_bytes(); }

 private:
  Coils coils(Index count) const { return {count, lanes_ > 0 ? lanes_ : next_lanes<T>(count)}; }

  Index cells_;
  int lanes_;  // of all blocks, on a GPU
  std::unique_ptr<const Interpolator<T>> gridding_;
};

}  // namespace larmor::nufft
