#include <larmor/operators/nufft/cuda/interpolate.hpp>
#include <larmor/operators/nufft/cuda/interpolate_task.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

template <typename T>
InterpolateTuning choose_tuning(const Points<T>& points) {
  InterpolateTuning tuning;
  int device = 0, shared = 0;
  larmor::cuda::check(cudaGetDevice(&device), "asking for the current device");
  larmor::cuda::check(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                      "asking for the size of shared memory");
  tuning.shared_bytes = shared;
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
