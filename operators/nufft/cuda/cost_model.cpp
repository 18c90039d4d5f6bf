#include <larmor/operators/nufft/cuda/cost_model.hpp>
#include <larmor/operators/nufft/cuda/spread_task.hpp>

#include <algorithm>
#include <cmath>
#include <complex>

namespace larmor::nufft::cuda {

template <typename T>
int lanes_for(Index batch) {
  if (batch <= 1) return 1;
  return batch <= 4 || sizeof(T) == 8 ? 4 : 8;
}

// Interpolation takes a part for each point and one for each cell that it touches, spreading a part for each
// cell of a tile that a point may touch; transforms take the bytes that their passes move, at 3.6 TB/s.
// Fitted to measurements of tolerances from 1e-2 to 1e-12 (docs/performance.md).
template <typename T>
double transform_cost(Index samples, const std::array<Index, 3>& grid, const Shape& image, int width,
                      int lanes) {
  const int dims = std::min(image.rank(), 3);
  const bool several = lanes > 1, single = sizeof(T) == 4;
  const double touched = std::pow(width, dims);
  const double interpolation = several  ? (dims == 2 ? 6 + 0.3 * touched : 12 + 0.33 * touched)
                               : single ? 45 + 0.36 * touched
                                        : 50 + 0.72 * touched;
  double tile = 1;
  for (int a = 0; a < dims; ++a) {
    const double cells = tile_cells(dims, lanes, a);
    tile *= (cells + width - 1) / cells;
  }
  const double per_tile = single ? (dims == 2 ? 15 : several ? 9.4 : 38) : several ? 20 : 90;
  const double points =
      static_cast<double>(samples) * 0.5 * (interpolation + per_tile * tile + (several ? 0 : 23));
  double values = 0;
  for (int a = 0; a < dims; ++a) {
    // A pass reads and writes what earlier ones have filled; the image's side of the first is small.
    double part = a == 0 ? 1 : 2;
    for (int b = 0; b < dims; ++b) part *= static_cast<double>(b <= a ? grid[b] : image[dims - 1 - b]);
    values += part;
  }
  return points + values * sizeof(std::complex<T>) / 3.6;
}

template int lanes_for<float>(Index);
template int lanes_for<double>(Index);
template double transform_cost<float>(Index, const std::array<Index, 3>&, const Shape&, int, int);
template double transform_cost<double>(Index, const std::array<Index, 3>&, const Shape&, int, int);

}  // namespace larmor::nufft::cuda
