#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <array>
#include <functional>
#include <memory>

namespace LARMOR_API larmor {
namespace nufft {

/// Requirements that a plan is made for; axes in the order x, y, z.
struct PlanOptions {
  double tolerance = 1e-3;
  double oversampling = 0;  ///< 0: chosen by a cost model
  Index batch = 1;          ///< coils expected, for the cost model
  Index samples = 0;        ///< samples expected, for the cost model; 0: those of the trajectory
  bool small_grid = false;  ///< the smallest grid that reaches the tolerance instead of the fastest
  /// The directions that will be used; a plan may omit tables of the other one.
  bool forward = true, adjoint = true;
  /// Promise that samples of the adjoint are real; see NufftOptions.
  bool real_samples = false;
  NufftMethod method = NufftMethod::gridding;
  std::size_t matrix_byte_limit = 0;  ///< of a matrix; 0: no limit
};

/// Cost of a grid on a device; only ratios matter.
struct GridCosts {
  /// A length >= n for which the device's transforms are fast.
  std::function<Index(Index)> fast_length;
  /// Cost of `samples` points on a grid with a kernel of this width.
  std::function<double(const std::array<Index, 3>& grid, int width)> cost;
};

/// A kernel and its polynomials in precision T.
template <typename T>
struct FittedKernel {
  Kernel kernel;
  KernelPolynomials<T> polynomials;
  double amplification = 1;  ///< of rounding by deapodisation, along one axis; see GriddingError
};

/// A kernel whose polynomials are as accurate as its aliasing at this oversampling, or as the precision
/// allows; computed once per process.
template <typename T>
std::shared_ptr<const FittedKernel<T>> fitted_kernel(int width, double oversampling);

/// Kernel(width, oversampling).error(oversampling), computed once per process because every plan asks for the
/// same few.
GriddingError gridding_error(int width, double oversampling);

/// Grid and kernel of a plan; axes in the order x, y, z.
template <typename T>
struct GridChoice {
  std::array<Index, 3> grid{1, 1, 1};
  double oversampling = 0;  ///< the smallest of all axes
  int lanes = 0;            ///< coils that share a cell of a GPU's grid
  std::shared_ptr<const FittedKernel<T>> kernel;
  /// φ̂ on an axis of an image, in cycles per cell; computed once per process.
  ChebyshevSeries transform(Index image, int axis) const;
  /// 1/φ̂ for each pixel of an axis.
  Array<T> deapodisation(Index image, int axis, const Context& ctx) const;
};

/// The cheapest grid and kernel that reach the tolerance. Throws Error (usage) for unreachable tolerances and
/// options out of range; the message names the smallest reachable tolerance.
template <typename T>
GridChoice<T> choose_grid(const Shape& image, const PlanOptions& options, const GridCosts& costs);

}  // namespace nufft
}  // namespace larmor
