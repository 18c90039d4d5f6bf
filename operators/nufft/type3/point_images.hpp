#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>

#include <array>
#include <complex>
#include <memory>

namespace larmor::nufft {

/// Points spread onto images and read from them, without a transform: the first step from points to points.
/// All arrays are in the memory of one device.
template <typename T>
class PointImages {
 public:
  using C = std::complex<T>;
  virtual ~PointImages() = default;

  /// images [count][z][y][x] = Σ_j values_j φ(· − point_j), values [count, points]; every cell is written.
  virtual void spread(const C* values, C* images, Index count, Context& ctx) const = 0;
  /// values_j = Σ_cells φ(cell − point_j) images, or added to values.
  virtual void interpolate(const C* images, C* values, Index count, Context& ctx, bool accumulate) const = 0;

  /// For `count` vectors at a time, of which blocks as in for_coil_blocks() suit best.
  virtual std::size_t scratch_bytes(const Context& ctx, Index count) const = 0;
  virtual std::size_t table_bytes() const = 0;
};

struct PointImagesOptions {
  Index batch = 1;
  bool spread = true, interpolate = true;  ///< what will be used
};

/// For the context's device. points [n, dims] on that device, columns x, y, z, periodic with 1: 0 is the
/// centre of cell 0. cells: x, y, z.
template <typename T>
std::shared_ptr<const PointImages<T>> make_point_images(View<const double> points,
                                                        const std::array<Index, 3>& cells,
                                                        std::shared_ptr<const FittedKernel<T>> kernel,
                                                        const PointImagesOptions& options, Context& ctx);

}  // namespace larmor::nufft
