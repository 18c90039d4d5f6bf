#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/math/line_pass.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>

#include <array>
#include <complex>
#include <vector>

namespace larmor::nufft {

/// What lies between images and an oversampled periodic grid in a NUFFT, on a CPU: deapodisation, padding,
/// transforms. Grids are [z][y][x][lane], coils being lanes; image pixel floor(N/2) lies at cell 0.
template <typename T>
class GridTransform {
 public:
  using C = std::complex<T>;
  GridTransform(const Shape& image, const GridChoice<T>& choice, Index batch, const Context& ctx);

  Index cells() const { return cells_; }

  /// grid = transform, exp(−2πi…), of the padded scale · image / φ̂ of `count` coils; lanes without a coil are
  /// zero.
  void to_grid(const C* images, Index count, C* grid, int lanes, double scale, Context& ctx) const;
  /// The adjoint; the grid is overwritten.
  void from_grid(C* grid, C* images, Index count, int lanes, double scale, Context& ctx,
                 bool accumulate) const;
  std::size_t scratch_bytes(const Context& ctx) const;

 private:
  struct Axis {
    Index image = 1, grid = 1;
    Array<T> deapodise;
    Index cell_of(Index pixel) const {
      return pixel >= image / 2 ? pixel - image / 2 : pixel - image / 2 + grid;
    }
  };
  void transform_axis(int axis, C* grid, int lanes, FftSign sign, Context& ctx) const;

  int dims_;
  Index cells_, pixels_, buffer_size_ = 0;
  std::array<Axis, 3> axis_;                         // x, y, z
  std::array<std::array<LinePass<T>, 3>, 3> lines_;  // of 1, 4, 8 lanes and each axis
};

}  // namespace larmor::nufft
