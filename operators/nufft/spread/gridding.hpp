#pragma once

#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/spread/interpolator.hpp>
#include <larmor/operators/nufft/spread/points.hpp>

#include <array>
#include <memory>

namespace larmor::nufft {

struct GriddingOptions {
  Index batch = 1;                         ///< coils expected
  int lanes = 1;                           ///< of all blocks, on a GPU
  bool spread = true, interpolate = true;  ///< requested directions
  bool sorted_once = false;                ///< less memory; see CudaGriddingOptions
  Index expected_samples = 0;  ///< number of points for which scratch is counted if there are none
};

/// Interpolation with kernels that are evaluated in every call, on the context's device. points: on that
/// device, on a GPU as rows in cycles, periodic with 1: 0 is the centre of cell 0. grid: x, y, z. Throws
/// Error: usage for grids that are too large, input for points that are not finite (on a GPU by
/// Interpolator::require_finite()).
template <typename T>
std::unique_ptr<const Interpolator<T>> make_gridding(const Points<T>& points,
                                                     const std::array<Index, 3>& grid,
                                                     std::shared_ptr<const FittedKernel<T>> kernel,
                                                     const GriddingOptions& options, Context& ctx);

}  // namespace larmor::nufft
