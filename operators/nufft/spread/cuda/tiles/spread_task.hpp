#pragma once

#include <larmor/operators/nufft/spread/cuda/tiles/spread.hpp>

namespace larmor::nufft::cuda {

/// Arguments of the spreading kernels.
template <typename T>
struct SpreadLaunch {
  Points<T> points;
  SpreadTasks tasks;
  int bin_shift[3];                ///< log2 of the cells of a bin
  const std::complex<T>* samples;  ///< [coils][sample_stride], in the caller's order
  std::int64_t sample_stride;
  const T* weights;
  std::int64_t coils;
  /// [blocks][samples][lane], in the points' order, weighted, if they were gathered.
  const std::complex<T>* values;
  std::complex<T>* grid;     ///< of the first block
  std::complex<T>* partial;  ///< [blocks][piece][sums of a tile]
  int blocks;
};

/// True if samples should be brought into the points' order before they are spread. That pays if each is read
/// by many tiles, or if the samples of several coils become contiguous.
constexpr bool gathers_first(int dims, int lanes) {
  return dims == 3 || (dims == 2 && lanes > 1);
}

/// Number of values, including padding, that the kernels keep for the sums of a tile.
constexpr std::int64_t tile_sums(int dims, int lanes) {
  const int rows =
      dims == 1 ? tile_cells(1, lanes, 0) : tile_cells(dims, lanes, 1) * tile_cells(dims, lanes, 2);
  const int columns = (dims == 1 ? 1 : tile_cells(dims, lanes, 0)) * lanes;
  return rows * ((columns + 3) / 4 * 4);
}

/// Spreads the values; one instance per precision and number of axes, so that they compile in parallel.
template <typename T, int dims>
void launch_spread(const SpreadLaunch<T>& launch, larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
