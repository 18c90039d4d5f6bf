#pragma once

#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_kernels.cuh>

namespace larmor::nufft::cuda {

/// Bytes of shared memory before the tile.
template <typename Form, typename T>
constexpr int head_bytes(const Points<T>& points, int threads) {
  const int coefficients = (points.degree + 1) * points.stride * static_cast<int>(sizeof(T));
  return (coefficients + 15) / 16 * 16 + threads / warp_size * static_cast<int>(sizeof(typename Form::Batch));
}

/// Places rows and planes of a tile such that the rows which a group reads at a time lie in different banks:
/// row r of a neighbourhood starts r · row_pitch chunks after its first, modulo the banks. Returns the bytes.
template <typename Form, typename T>
std::int64_t lay_out_tile(InterpolateTask<T>& task) {
  using Share = typename Form::Share;
  const auto& points = task.points;
  std::int64_t size[3] = {1, 1, 1};
  for (int a = 0; a < points.dims; ++a) {
    const std::int64_t cells = static_cast<std::int64_t>(points.bin[a]) * (a == 0 ? task.tile_bins : 1);
    size[a] = (cells < points.grid[a] ? cells : points.grid[a]) + points.width - 1;
  }
  std::int64_t row = size[0] * Share::chunks;
  while (row % (2 * Share::chunks) != Share::chunks % (2 * Share::chunks)) ++row;
  std::int64_t plane = size[1] * row;
  while ((plane - points.width * row) % Share::line != 0) plane += Share::chunks;
  const std::int64_t chunks =
      ((size[2] - 1) * plane + size[1] * row + Share::line - 1) / Share::line * Share::line;
  const std::int64_t bytes = chunks * Share::chunk_bytes;
  if (bytes > (1 << 20)) return bytes;
  task.row_pitch = static_cast<int>(row);
  task.plane_pitch = static_cast<int>(plane);
  return bytes;
}

template <typename T, int D, int W, int L>
void launch_interpolation(InterpolateTask<T> task, const InterpolateTuning& tuning,
                          larmor::cuda::Stream stream) {
  const auto launch = [&](auto kernel, int threads, std::int64_t bytes) {
    if (bytes > 48 * 1024)
      larmor::cuda::check(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "reserving shared memory for interpolation");
    const auto chunks = (task.points.samples + task.chunk - 1) / task.chunk;
    const dim3 blocks(static_cast<unsigned>(chunks), static_cast<unsigned>((task.coils + L - 1) / L));
    kernel<<<blocks, threads, bytes, stream>>>(task);
    larmor::cuda::check_launch("interpolation");
  };
  task.chunk = tuning.chunk;
  if constexpr (D > 1) {
    using Tiled = Interpolation<T, D, W, L, true>;
    for (task.tile_bins = tuning.tile_bins; task.tile_bins > 0; task.tile_bins /= 2) {
      const std::int64_t tile = lay_out_tile<Tiled>(task);
      const auto bytes = [&](int threads) { return tile + head_bytes<Tiled>(task.points, threads); };
      const bool pair = bytes(256) <= tuning.pair_bytes;
      if (!pair && task.tile_bins > 1) continue;
      const int threads = pair || bytes(512) > tuning.shared_bytes ? 256 : 512;
      if (bytes(threads) > tuning.shared_bytes) break;
      return launch(interpolate_kernel<T, D, W, L, true>, threads, bytes(threads));
    }
  }
  using Direct = Interpolation<T, D, W, L, false>;
  launch(interpolate_kernel<T, D, W, L, false>, direct_threads,
         head_bytes<Direct>(task.points, direct_threads));
}

template <typename T, int D, int L>
void interpolate_lanes(const InterpolateTask<T>& task, const InterpolateTuning& tuning,
                       larmor::cuda::Stream stream) {
  switch (task.points.width) {
#define LARMOR_WIDTH(W) \
  case W:               \
    return launch_interpolation<T, D, W, L>(task, tuning, stream);
    LARMOR_WIDTH(3)
    LARMOR_WIDTH(4)
    LARMOR_WIDTH(5)
    LARMOR_WIDTH(6)
    LARMOR_WIDTH(7)
    LARMOR_WIDTH(8)
    LARMOR_WIDTH(9)
    LARMOR_WIDTH(10)
#undef LARMOR_WIDTH
  }
  if constexpr (sizeof(T) == 8) switch (task.points.width) {
#define LARMOR_WIDTH(W) \
  case W:               \
    return launch_interpolation<T, D, W, L>(task, tuning, stream);
      LARMOR_WIDTH(11)
      LARMOR_WIDTH(12)
      LARMOR_WIDTH(13)
      LARMOR_WIDTH(14)
      LARMOR_WIDTH(15)
      LARMOR_WIDTH(16)
#undef LARMOR_WIDTH
    }
}

}  // namespace larmor::nufft::cuda
