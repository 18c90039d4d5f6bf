#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/kernel/coils.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>

#include <complex>
#include <memory>

namespace larmor::nufft {

/// The transform between images and an oversampled periodic grid in a NUFFT, on one device: deapodisation,
/// padding, FFTs. Images are [coil][z][y][x], grids [block][z][y][x][lane]; image pixel floor(N/2) is at cell
/// 0.
template <typename T>
class GridTransform {
 public:
  using C = std::complex<T>;
  virtual ~GridTransform() = default;

  /// grid = transform, exp(−2πi…), of the padded scale · image / φ̂ of each coil; every cell is written, with
  /// zeros for lanes without a coil.
  virtual void to_grid(const C* images, C* grid, const Coils& coils, double scale, Context& ctx) const = 0;
  /// The adjoint; overwrites the images or adds to them. The grid is overwritten.
  virtual void from_grid(C* grid, C* images, const Coils& coils, double scale, Context& ctx,
                         bool accumulate) const = 0;

  virtual std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const = 0;
  virtual std::size_t table_bytes() const = 0;
};

struct GridTransformOptions {
  Index batch = 1;            ///< coils expected
  int lanes = 1;              ///< of all blocks, on a GPU
  Index blocks = 1;           ///< at a time, on a GPU
  bool real_samples = false;  ///< see PlanOptions
};

/// For the context's device.
template <typename T>
std::unique_ptr<const GridTransform<T>> make_grid_transform(const Shape& image, const GridChoice<T>& choice,
                                                            const GridTransformOptions& options,
                                                            Context& ctx);

}  // namespace larmor::nufft
