#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate.hpp>
#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_task.hpp>

#include <larmor/core/cuda/device_attribute.cuh>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

// Tiles of about 8 cells along x in 3D, 16 in 2D: small enough for two blocks per multiprocessor, one of
// which copies while the other computes.
template <typename T>
InterpolateTuning choose_tuning(const Points<T>& points) {
  using larmor::cuda::device_attribute;
  InterpolateTuning tuning;
  tuning.shared_bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  // CUDA reserves 1 KB for each block.
  tuning.pair_bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 - 1024;
  const int cells = points.dims == 3 ? 8 : 16;
  tuning.tile_bins = std::max(1, cells / points.bin[0]);
  // Few points: small chunks, so that every multiprocessor gets several.
  tuning.chunk = static_cast<std::int32_t>(std::clamp<std::int64_t>(points.samples / 512, 64, 2048));
  return tuning;
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
  const auto launch = points.dims == 1   ? launch_interpolation<T, 1>
                      : points.dims == 2 ? launch_interpolation<T, 2>
                                         : launch_interpolation<T, 3>;
  launch(task, coils.lanes, tuning, stream);
}

template <typename T>
void preferred_bins(int dims, int width, int lanes, std::int64_t shared_bytes, std::int32_t (&bin)[3]) {
  if (dims < 3) {
    bin[0] = dims == 1 ? 256 : 16;
    bin[1] = dims == 1 ? 1 : 16;
    bin[2] = 1;
    return;
  }
  // Shared memory: weights of the warps' batches as in interpolate_layout.cuh; coefficients; CUDA's own
  // share.
  const std::int64_t stride = sizeof(T) == 4 ? 20 : width > 8 ? 10 : 18;
  const std::int64_t weights = stride * std::max(dims * width, 2 * lanes) * sizeof(T) + 192;
  const std::int64_t other = 17 * 16 * sizeof(T) + 1024;
  const auto fits = [&](const std::int32_t(&b)[3], int blocks, int warps) {
    const std::int64_t row = ((b[0] + width - 1) | 1) * 2 * static_cast<std::int64_t>(sizeof(T)) * lanes;
    const std::int64_t plane = (b[1] + width - 1) * row + 128;
    return blocks * ((b[2] + width - 1) * plane + warps * weights + other) <= shared_bytes;
  };
  // Below these widths, one large tile is faster than two small ones.
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

#define LARMOR_INSTANTIATE(T)                                                                         \
  template void preferred_bins<T>(int, int, int, std::int64_t, std::int32_t(&)[3]);                   \
  template void interpolate(const Points<T>&, const std::complex<T>*, std::complex<T>*, std::int64_t, \
                            const T*, const Coils&, bool, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
