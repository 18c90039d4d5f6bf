#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate.hpp>
#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_task.hpp>

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
  tuning.chunk = static_cast<std::int32_t>(std::clamp<std::int64_t>(points.samples / 512, 64, 2048));
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

template <typename T>
void preferred_bins(int dims, int width, int lanes, std::int64_t shared_bytes, std::int32_t (&bin)[3]) {
  if (dims < 3) {
    bin[0] = dims == 1 ? 256 : 16;
    bin[1] = dims == 1 ? 1 : 16;
    bin[2] = 1;
    return;
  }
  // Weights of the warps' batches as in interpolate_layout.cuh; coefficients; what CUDA takes for itself.
  const std::int64_t stride = sizeof(T) == 4 ? 20 : width > 8 ? 10 : 18;
  const std::int64_t weights = stride * std::max(dims * width, 2 * lanes) * sizeof(T) + 192;
  const std::int64_t other = 17 * 16 * sizeof(T) + 1024;
  const auto fits = [&](const std::int32_t(&b)[3], int blocks, int warps) {
    const std::int64_t row = ((b[0] + width - 1) | 1) * 2 * static_cast<std::int64_t>(sizeof(T)) * lanes;
    const std::int64_t plane = (b[1] + width - 1) * row + 128;
    return blocks * ((b[2] + width - 1) * plane + warps * weights + other) <= shared_bytes;
  };
  // Below these, one large tile is faster than two small ones.
  constexpr std::int32_t pairs[][3] = {{8, 8, 8}, {8, 8, 6}, {8, 8, 4}, {8, 6, 4}, {8, 4, 4}};
  constexpr int pair_choices = sizeof(T) == 4 ? 5 : 4;
  constexpr std::int32_t singles[][3] = {{8, 8, 8}, {8, 8, 6}, {8, 8, 4}, {8, 4, 4}, {4, 4, 4}};
  for (int i = 0; i < pair_choices; ++i) {
    std::copy_n(pairs[i], 3, bin);
    if (fits(pairs[i], 2, 8)) return;
  }
  for (const auto& candidate : singles) {
    std::copy_n(candidate, 3, bin);
    if (fits(candidate, 1, 16)) return;
  }
}

template void preferred_bins<float>(int, int, int, std::int64_t, std::int32_t (&)[3]);
template void preferred_bins<double>(int, int, int, std::int64_t, std::int32_t (&)[3]);

template void interpolate(const Points<float>&, const std::complex<float>*, std::complex<float>*,
                          std::int64_t, const float*, const Coils&, bool, larmor::cuda::Stream);
template void interpolate(const Points<double>&, const std::complex<double>*, std::complex<double>*,
                          std::int64_t, const double*, const Coils&, bool, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
