#pragma once

#include <larmor/core/shape.hpp>

#include <array>

namespace larmor::nufft::cuda {

/// What transform_cost looks at.
struct CostOptions {
  int lanes = 1;
  bool spread = true, interpolate = true;  ///< directions that count, the mean of both
};
/// Picoseconds of an H200 for one transform of one coil; only ratios count. grid in the order x, y, z; image
/// slowest axis first.
template <typename T>
double transform_cost(Index samples, const std::array<Index, 3>& grid, const Shape& image, int width,
                      const CostOptions& options);

}  // namespace larmor::nufft::cuda
