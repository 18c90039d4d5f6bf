#include <larmor/operators/nufft/cuda/interpolate.hpp>
#include <larmor/operators/nufft/cuda/interpolate_task.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

// Tiles of about 8 cells along x in 3D, 16 in 2D, so small that two blocks fit a multiprocessor: one copies
// while the other works.
template <typename T>
InterpolateTuning choose_tuning(const Points<T>& points) {
  int device = 0, per_block = 0, per_processor = 0;
  larmor::cuda::check(cudaGetDevice(&device), "asking for the current device");
  larmor::cuda::check(cudaDeviceGetAttribute(&per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                      "asking for the size of shared memory");
  larmor::cuda::check(
      cudaDeviceGetAttribute(&per_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
      "asking for the size of shared memory");
  InterpolateTuning tuning;
  tuning.shared_bytes = per_block;
  tuning.pair_bytes = per_processor / 2 - 1024;  // each block takes 1 KB more than it asks for
  const int cells = points.dims == 3 ? 8 : 16;
  tuning.tile_bins = std::max(1, cells / points.bin[0]);
  // Few points: small chunks, so that every multiprocessor has several.
  tuning.chunk = points.samples < (1 << 20) ? 256 : points.samples < (1 << 22) ? 512 : 2048;
  return tuning;
}

template <typename T, int D>
void interpolate_axes(const InterpolateTask<T>& task, int lanes, const InterpolateTuning& tuning,
                      larmor::cuda::Stream stream) {
  switch (lanes) {
    case 1:
      return interpolate_lanes<T, D, 1>(task, tuning, stream);
    case 2:
      return interpolate_lanes<T, D, 2>(task, tuning, stream);
    case 4:
      return interpolate_lanes<T, D, 4>(task, tuning, stream);
    case 8:
      if constexpr (sizeof(T) == 4) return interpolate_lanes<T, D, 8>(task, tuning, stream);
  }
}

}  // namespace

template <typename T>
void interpolate(const Points<T>& points, const std::complex<T>* grid, std::complex<T>* samples,
                 std::int64_t sample_stride, const T* weights, const Coils& coils, bool accumulate,
                 larmor::cuda::Stream stream) {
  if (points.samples == 0 || coils.count == 0) return;
  InterpolateTask<T> task{};
  task.points = points;
  task.grid = reinterpret_cast<const T*>(grid);
  task.samples = reinterpret_cast<T*>(samples);
  task.sample_stride = sample_stride;
  task.weights = weights;
  task.coils = coils.count;
  task.cells = static_cast<std::int64_t>(points.grid[0]) * points.grid[1] * points.grid[2];
  task.accumulate = accumulate;
  const InterpolateTuning tuning = choose_tuning(points);
  switch (points.dims) {
    case 1:
      return interpolate_axes<T, 1>(task, coils.lanes, tuning, stream);
    case 2:
      return interpolate_axes<T, 2>(task, coils.lanes, tuning, stream);
    case 3:
      return interpolate_axes<T, 3>(task, coils.lanes, tuning, stream);
  }
}

template void interpolate(const Points<float>&, const std::complex<float>*, std::complex<float>*,
                          std::int64_t, const float*, const Coils&, bool, larmor::cuda::Stream);
template void interpolate(const Points<double>&, const std::complex<double>*, std::complex<double>*,
                          std::int64_t, const double*, const Coils&, bool, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
