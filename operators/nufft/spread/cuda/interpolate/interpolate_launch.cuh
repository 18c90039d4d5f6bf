#pragma once

#include <larmor/core/cuda/device_attribute.cuh>
#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_kernels.cuh>

namespace larmor::nufft::cuda {

/// Bytes of shared memory before the tile.
template <typename Form, typename T>
constexpr int head_bytes(const Points<T>& points, int threads) {
  return coefficient_count<T>(points.width, points.degree) * static_cast<int>(sizeof(T)) +
         threads / warp_size * static_cast<int>(sizeof(typename Form::Batch));
}

/// Chooses pitches of a tile such that the rows that a group reads together are in different banks: row r
/// starts r · row_pitch chunks after the first one, modulo the banks. Returns the tile's bytes.
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

template <typename T, int D, int L, int W>
void launch_width(InterpolateTask<T> task, const InterpolateTuning& tuning, larmor::cuda::Stream stream) {
  const auto launch = [&](auto kernel, int threads, std::int64_t bytes) {
    if (bytes > 48 * 1024) larmor::cuda::allow_shared_bytes(kernel, static_cast<std::size_t>(bytes));
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

// The kernels for a width, found by counting up from the narrowest.
template <typename T, int D, int L, int W = 3>
void launch_lanes(const InterpolateTask<T>& task, const InterpolateTuning& tuning,
                  larmor::cuda::Stream stream) {
  if (task.points.width == W) return launch_width<T, D, L, W>(task, tuning, stream);
  if constexpr (W < (sizeof(T) == 4 ? 10 : 16)) launch_lanes<T, D, L, W + 1>(task, tuning, stream);
}

template <typename T, int D>
void launch_interpolation(const InterpolateTask<T>& task, int lanes, const InterpolateTuning& tuning,
                          larmor::cuda::Stream stream) {
  if (lanes == 1) return launch_lanes<T, D, 1>(task, tuning, stream);
  if (lanes == 4) return launch_lanes<T, D, 4>(task, tuning, stream);
  if constexpr (sizeof(T) == 4) {
    if (lanes == 2) return launch_lanes<T, D, 2>(task, tuning, stream);
    launch_lanes<T, D, 8>(task, tuning, stream);
  }
}

}  // namespace larmor::nufft::cuda
