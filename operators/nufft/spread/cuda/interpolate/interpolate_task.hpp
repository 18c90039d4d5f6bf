#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

namespace larmor::nufft::cuda {

/// Arguments of the interpolation kernels.
template <typename T>
struct InterpolateTask {
  Points<T> points;
  const T* grid;
  T* samples;
  std::int64_t sample_stride;
  const T* weights;
  std::int64_t coils;
  std::int64_t cells;  ///< of one block of the grid
  bool accumulate;
  std::int32_t chunk;                   ///< points per thread block
  std::int32_t tile_bins;               ///< bins of a tile, along x
  std::int32_t row_pitch, plane_pitch;  ///< of a tile, in chunks
};

/// Division of the work among thread blocks.
struct InterpolateTuning {
  std::int32_t chunk = 2048;      ///< points per thread block
  std::int32_t tile_bins = 1;     ///< at most
  std::int64_t shared_bytes = 0;  ///< limit for a block; if a tile would need more, the grid is read directly
  std::int64_t pair_bytes = 0;    ///< limit at which two blocks fit on a multiprocessor
};

/// For all lanes and widths; one instance per precision and number of axes D, so that they compile in
/// parallel.
template <typename T, int D>
void launch_interpolation(const InterpolateTask<T>& task, int lanes, const InterpolateTuning& tuning,
                          larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
