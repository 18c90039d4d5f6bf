#pragma once

// Interpolation kernels. A few neighbouring threads (a group) work on one point: `chunks` of them share the
// lanes of a cell in loads of up to 16 bytes, `splits` of them share the cells of a row along x, and
// `row_threads` of them share the rows (y, z) of the point's neighbourhood. A row is summed along x with
// weights in registers and enters the sum with one product of the y and z weights; the parts of a group are
// added by shuffles at the end. A warp computes the weights of a batch of points first, for all its groups.
//
// The sums are bound by reads of cells, 128 bytes a clock and multiprocessor. Hence the tiled form: a block
// copies the cells that neighbouring bins touch to shared memory, with pitches that let every 128 bytes read
// at a time lie in different banks. The direct form reads the grid through the first-level cache.

#include <larmor/operators/nufft/cuda/interpolate_task.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {

constexpr int warp_size = 32;
constexpr int direct_threads = 256;
constexpr unsigned whole_warp = 0xffffffffu;

/// How the threads of a warp share points: T reals, D axes, W cells per axis, L lanes.
template <typename T, int D, int W, int L, bool tiled>
struct Layout {
  static constexpr int chunk_reals = 2 * L * sizeof(T) < 16 ? 2 * L : 16 / static_cast<int>(sizeof(T));
  static constexpr int chunks = 2 * L / chunk_reals;  // per cell
  static constexpr int chunk_bytes = chunk_reals * static_cast<int>(sizeof(T));
  static constexpr int line = 128 / chunk_bytes;  // chunks that one clock reads
  static constexpr int per_line = line / chunks;  // cells that one clock reads
  static constexpr int rows = D == 3 ? W * W : D == 2 ? W : 1;
  static constexpr int most_rows = D == 1 ? 1 : D == 2 && W <= 4 ? 4 : D == 2 ? 8 : 16;
  static constexpr int splits = tiled || D == 1 || per_line < 2 ? 1 : 2;
  static constexpr int row_threads = per_line / splits < most_rows ? per_line / splits : most_rows;
  static constexpr int group = chunks * splits * row_threads;
  static constexpr int groups = warp_size / group;         // points that a warp works on at a time
  static constexpr int cells = (W + splits - 1) / splits;  // of a row, per thread
  static constexpr int batch = D == 1 ? 32 : sizeof(T) == 8 && W > 8 ? 8 : 16;
  // Weights of a batch lie [axis][l][point]; the stride spreads different l over the banks.
  static constexpr int stride = batch + (D == 1 ? 0 : sizeof(T) == 8 ? 2 : 4);
};

/// What a warp prepares for a batch of points.
template <typename T, int D, int W, int batch, int stride>
struct alignas(16) Prepared {
  T weight[D][W][stride];
  T scale[batch];
  std::int32_t order[batch];
  std::int32_t origin[3][batch];  // first cell (direct), or its chunk in the tile
};

template <typename T, int n>
struct alignas(n * sizeof(T)) Chunk {
  T v[n];
};

__device__ inline float fused(float a, float b, float c) {
  return fmaf(a, b, c);
}
__device__ inline double fused(double a, double b, double c) {
  return fma(a, b, c);
}

/// The bin of point p: the last with bin_start <= p. The warp compares 32 bins at a time.
__device__ inline int find_bin(const std::int32_t* bin_start, int bins, int p) {
  const int lane = threadIdx.x % warp_size;
  int first = 0, count = bins;
  while (count > 1) {
    const int step = (count + warp_size - 1) / warp_size, probe = lane * step;
    const bool before = probe < count && bin_start[first + probe] <= p;
    const int passed = __popc(__ballot_sync(whole_warp, before)) - 1;
    first += passed * step;
    count = min(step, count - passed * step);
  }
  return first;
}

/// The bin of every thread's own point, where no point lies before `bin`.
__device__ inline int bins_from(const std::int32_t* bin_start, int bins, int bin, int p) {
  const int lane = threadIdx.x % warp_size;
  int passed;
  int first = bin;
  do {
    const int next = first + 1 + lane;
    const int start = next <= bins ? bin_start[next] : 0x7fffffff;
    passed = 0;
    for (int step = warp_size / 2; step > 0; step /= 2)
      if (__shfl_sync(whole_warp, start, passed + step - 1) <= p) passed += step;
    if (__shfl_sync(whole_warp, start, passed) <= p) ++passed;
    bin += passed;
    first += warp_size;
  } while (__any_sync(whole_warp, passed == warp_size));
  return bin;
}

/// A box of cells in shared memory: those that the points of some bins, neighbours along x, touch.
struct Tile {
  int first_bin, last_bin;  // of a row of bins
  std::int32_t begin[3], size[3];
};

template <typename T, int D, int W, int L, bool tiled>
class Interpolation {
 public:
  using Share = Layout<T, D, W, L, tiled>;
  using Batch = Prepared<T, D, W, Share::batch, Share::stride>;
  using C = Chunk<T, Share::chunk_reals>;

  __device__ Interpolation(const InterpolateTask<T>& task, T* coefficients, Batch* batches, C* tile)
      : task_(task),
        coefficients_(coefficients),
        prepared_(batches[threadIdx.x / warp_size]),
        tile_(tile),
        grid_(reinterpret_cast<const C*>(task.grid) +
              static_cast<std::int64_t>(blockIdx.y) * task.cells * Share::chunks),
        lane_(threadIdx.x % warp_size) {
    const int thread = lane_ % Share::group;
    chunk_ = thread % Share::chunks;
    split_ = thread / Share::chunks % Share::splits;
    row_ = thread / (Share::chunks * Share::splits);
    group_ = lane_ / Share::group;
    const int count = (task.points.degree + 1) * task.points.stride;
    for (int i = threadIdx.x; i < count; i += blockDim.x) coefficients_[i] = task.points.coefficients[i];
    __syncthreads();
  }

  /// Direct form: warps take batches of the block's points in turn.
  __device__ void run_direct() {
    const auto& points = task_.points;
    const int warps = blockDim.x / warp_size, bins = points.bins[0] * points.bins[1] * points.bins[2];
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * task_.chunk;
    const auto end = min(begin + task_.chunk, points.samples);
    std::int64_t p = begin + threadIdx.x / warp_size * Share::batch;
    if (p >= end) return;
    int bin = find_bin(points.bin_start, bins, static_cast<int>(p));
    for (;;) {
      const int count = static_cast<int>(min(end - p, static_cast<std::int64_t>(Share::batch)));
      const int own = static_cast<int>(p) + min(lane_ % Share::batch, count - 1);
      prepare(own, bins_from(points.bin_start, bins, bin, own), count, nullptr);
      interpolate_batch(count);
      p += warps * Share::batch;
      if (p >= end) return;
      __syncwarp();
      bin = next_bin(bins, bin, static_cast<int>(p));
    }
  }

  /// Tiled form: the block copies one tile after another and interpolates its points.
  __device__ void run_tiled() {
    const auto& points = task_.points;
    const int warps = blockDim.x / warp_size, warp = threadIdx.x / warp_size;
    const int bins = points.bins[0] * points.bins[1] * points.bins[2];
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * task_.chunk;
    const auto end = static_cast<int>(min(begin + task_.chunk, points.samples));
    int p = static_cast<int>(begin), bin = find_bin(points.bin_start, bins, p);
    for (;;) {
      const Tile tile = tile_of(bin);
      const int stop = min(points.bin_start[tile.last_bin + 1], end);
      fetch(tile);
      // Batches as even as the groups of the warps allow.
      const int share = (stop - p + warps - 1) / warps;
      const int batch = min(Share::batch, (share + Share::groups - 1) / Share::groups * Share::groups);
      int q = p + warp * batch, count = min(batch, stop - q);
      if (count > 0) prepare_in(tile, bins, q, count);
      wait_for_tile();
      while (count > 0) {
        interpolate_batch(count);
        q += warps * batch;
        count = min(batch, stop - q);
        __syncwarp();
        if (count > 0) {
          prepare_in(tile, bins, q, count);
        }
      }
      p = stop;
      if (p >= end) return;
      bin = next_bin(bins, tile.last_bin, p);
      __syncthreads();  // the tile is overwritten next
    }
  }

 private:
  __device__ int next_bin(int bins, int bin, int p) const {
    const int next = bin + 1 + lane_;
    const int start = next <= bins ? task_.points.bin_start[next] : 0x7fffffff;
    const int passed = __popc(__ballot_sync(whole_warp, start <= p));
    return passed < warp_size ? bin + passed : find_bin(task_.points.bin_start, bins, p);
  }

  __device__ Tile tile_of(int bin) const {
    const auto& points = task_.points;
    const int row = bin / points.bins[0], in_row = bin - row * points.bins[0];
    const int first = in_row / task_.tile_bins * task_.tile_bins;
    const int last = min(first + task_.tile_bins, points.bins[0]) - 1;
    Tile tile;
    tile.first_bin = row * points.bins[0] + first;
    tile.last_bin = row * points.bins[0] + last;
    const int at[3] = {first, D > 1 ? row % points.bins[1] : 0, D > 2 ? row / points.bins[1] : 0};
    for (int a = 0; a < 3; ++a) {
      tile.begin[a] = at[a] * points.bin[a];
      const int cells = points.bin[a] * (a == 0 ? last - first + 1 : 1);
      tile.size[a] = a < D ? min(cells, points.grid[a] - tile.begin[a]) + W - 1 : 1;
    }
    return tile;
  }

  __device__ void copy_chunk(C* to, const C* from) const {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (sizeof(C) == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(from) : "memory");
  }

  __device__ void wait_for_tile() const {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
  }

  // Starts the copy of a tile; half a warp or a warp takes a row.
  __device__ void fetch(const Tile& tile) const {
    const auto& points = task_.points;
    const int width = tile.size[0] * Share::chunks, rows = tile.size[1] * tile.size[2];
    const int threads = width > warp_size / 2 ? warp_size : warp_size / 2;
    const int step = blockDim.x / threads;
    const int wrap = (points.grid[0] - tile.begin[0]) * Share::chunks;  // chunks before the period ends
    int row = threadIdx.x / threads, y = row % tile.size[1], z = row / tile.size[1];
    for (; row < rows; row += step) {
      int gy = tile.begin[1] + y, gz = tile.begin[2] + z;
      if (D > 1 && gy >= points.grid[1]) gy -= points.grid[1];
      if (D > 2 && gz >= points.grid[2]) gz -= points.grid[2];
      const std::int64_t line = (static_cast<std::int64_t>(gz) * points.grid[1] + gy) * points.grid[0];
      const C* from = grid_ + (line + tile.begin[0]) * Share::chunks;
      C* to = tile_ + z * task_.plane_pitch + y * task_.row_pitch;
      for (int i = threadIdx.x % threads; i < width; i += threads)
        copy_chunk(to + i, from + (i < wrap ? i : i - points.grid[0] * Share::chunks));
      for (y += step; y >= tile.size[1]; y -= tile.size[1]) ++z;
    }
  }

  __device__ void prepare_in(const Tile& tile, int bins, int p, int count) {
    const int own = p + min(lane_ % Share::batch, count - 1);
    const int bin =
        task_.tile_bins == 1 ? tile.first_bin : bins_from(task_.points.bin_start, bins, tile.first_bin, own);
    prepare(own, bin, count, &tile);
  }

  // Weights, places and factors of a batch; thread i works on point p of bin `bin`, the i-th of the batch.
  __device__ void prepare(int p, int bin, int count, const Tile* tile) {
    const auto& points = task_.points;
    constexpr int sharing = warp_size / Share::batch, each = (W + sharing - 1) / sharing;
    const int i = lane_ % Share::batch, part = lane_ / Share::batch;
    const std::uint32_t cell = points.cell[p];
    T u[D], weight[D][each];
    for (int a = 0; a < D; ++a) u[a] = 2 * points.fraction[a * points.samples + p] - 1;
    if (part == 0 && i < count) {
      const std::int32_t order = points.order[p];
      prepared_.order[i] = order;
      prepared_.scale[i] = task_.weights ? task_.weights[order] : T(1);
      int first[3] = {static_cast<int>(cell & 255), static_cast<int>(cell >> 8 & 255),
                      static_cast<int>(cell >> 16 & 255)};
      if constexpr (tiled) {
        first[0] += (bin - tile->first_bin) * points.bin[0];
        int at = first[0] * Share::chunks;
        if (D > 1) at += first[1] * task_.row_pitch;
        if (D > 2) at += first[2] * task_.plane_pitch;
        prepared_.origin[0][i] = at;
      } else {
        const int row = bin / points.bins[0];
        prepared_.origin[0][i] = (bin - row * points.bins[0]) * points.bin[0] + first[0];
        if (D > 1) prepared_.origin[1][i] = row % points.bins[1] * points.bin[1] + first[1];
        if (D > 2) prepared_.origin[2][i] = row / points.bins[1] * points.bin[2] + first[2];
      }
    }
    const T* coefficient = coefficients_;
    for (int n = 0; n <= points.degree; ++n, coefficient += points.stride)
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const int l = part + sharing * j;
        const T c = coefficient[W % sharing == 0 || l < W ? l : 0];
#pragma unroll
        for (int a = 0; a < D; ++a) weight[a][j] = n == 0 ? c : fused(weight[a][j], u[a], c);
      }
#pragma unroll
    for (int j = 0; j < each; ++j)
      if (const int l = part + sharing * j; W % sharing == 0 || l < W)
        for (int a = 0; a < D; ++a) prepared_.weight[a][l][i] = weight[a][j];
    __syncwarp();
  }

  // Cells of one row along x that this thread sums.
  template <typename Load>
  __device__ void sum_row(const T (&weight)[Share::cells], T factor, T (&sum)[Share::chunk_reals],
                          const Load& load) const {
    T line[Share::chunk_reals];
#pragma unroll
    for (int j = 0; j < Share::cells; ++j) {
      const int l = split_ + Share::splits * j;
      C value;
      if (W % Share::splits == 0 || j + 1 < Share::cells || l < W)
        value = load(l);
      else
        for (T& v : value.v) v = 0;
#pragma unroll
      for (int k = 0; k < Share::chunk_reals; ++k)
        line[k] = j == 0 ? weight[0] * value.v[k] : fused(weight[j], value.v[k], line[k]);
    }
#pragma unroll
    for (int k = 0; k < Share::chunk_reals; ++k) sum[k] = fused(factor, line[k], sum[k]);
  }

  __device__ void interpolate_batch(int count) const {
    const auto& points = task_.points;
    for (int start = 0; start < count; start += Share::groups) {
      // Groups without a point repeat the last one, so that the warp stays together for the shuffles.
      const int i = min(start + group_, count - 1);
      T weight[Share::cells], sum[Share::chunk_reals];
#pragma unroll
      for (int j = 0; j < Share::cells; ++j) {
        const int l = split_ + Share::splits * j;
        weight[j] = W % Share::splits == 0 || l < W ? prepared_.weight[0][l][i] : T(0);
      }
      for (T& s : sum) s = 0;

      // Rows r = row_, row_ + row_threads, … as (y, z).
      constexpr int step_y = Share::row_threads % W, step_z = Share::row_threads / W;
      int y = row_ % W, z = row_ / W;
#pragma unroll 2
      for (int r = row_; r < Share::rows; r += Share::row_threads) {
        T factor = 1;
        if constexpr (D > 1) factor = prepared_.weight[1][y][i];
        if constexpr (D > 2) factor *= prepared_.weight[2][z][i];
        if constexpr (tiled) {
          int at = prepared_.origin[0][i] + chunk_;
          if constexpr (D > 1) at += y * task_.row_pitch;
          if constexpr (D > 2) at += z * task_.plane_pitch;
          const C* cells = tile_ + at;
          sum_row(weight, factor, sum, [&](int l) { return cells[l * Share::chunks]; });
        } else {
          const int x = prepared_.origin[0][i], wrap = points.grid[0] - x;
          std::int64_t line = 0;
          if constexpr (D > 2) {
            const int gz = prepared_.origin[2][i] + z;
            line =
                static_cast<std::int64_t>(gz >= points.grid[2] ? gz - points.grid[2] : gz) * points.grid[1];
          }
          if constexpr (D > 1) {
            const int gy = prepared_.origin[1][i] + y;
            line = (line + (gy >= points.grid[1] ? gy - points.grid[1] : gy)) * points.grid[0];
          }
          const C* cells = grid_ + (line + x) * Share::chunks + chunk_;
          sum_row(weight, factor, sum,
                  [&](int l) { return cells[(l < wrap ? l : l - points.grid[0]) * Share::chunks]; });
        }
        y += step_y;
        z += step_z;
        if (y >= W) y -= W, ++z;
      }
      combine_and_store(sum, i, start + group_ < count);
    }
  }

  // Adds the parts of a group. Threads halve the values that they carry for as long as there are several.
  __device__ void combine_and_store(T (&sum)[Share::chunk_reals], int i, bool active) const {
    constexpr int parts = Share::splits * Share::row_threads;
    const int part = lane_ % Share::group / Share::chunks;
    int offset = 0, carried = Share::chunk_reals;
    int owners = parts;  // a part owns its values when part % owners == 0
#pragma unroll
    for (int half = parts / 2; half > 0; half /= 2) {
      const bool upper = part & half;
      if (carried > 1) {
        carried /= 2;
        owners = half;
        if (upper) offset += carried;
#pragma unroll
        for (int k = 0; k < Share::chunk_reals / 2; ++k)
          if (k < carried) {
            const T lower_value = sum[k], upper_value = sum[k + carried];
            const T received =
                __shfl_xor_sync(whole_warp, upper ? lower_value : upper_value, half * Share::chunks);
            sum[k] = (upper ? upper_value : lower_value) + received;
          }
      } else {
        sum[0] += __shfl_xor_sync(whole_warp, sum[0], half * Share::chunks);
      }
    }
    if (!active || part % owners != 0) return;
    const T scale = prepared_.scale[i];
    const std::int64_t order = prepared_.order[i];
    const int first = chunk_ * Share::chunk_reals + offset;  // real of the cell
#pragma unroll
    for (int k = 0; k < Share::chunk_reals; k += 2) {
      if (k >= carried) break;
      const std::int64_t coil = static_cast<std::int64_t>(blockIdx.y) * L + (first + k) / 2;
      if (coil >= task_.coils) break;
      T* to = task_.samples + 2 * (coil * task_.sample_stride + order);
      if (carried == 1) {
        to += first % 2;
        *to = scale * sum[0] + (task_.accumulate ? *to : T(0));
      } else {
        using Pair = Chunk<T, 2>;
        Pair* pair = reinterpret_cast<Pair*>(to);
        Pair value = {{scale * sum[k], scale * sum[k + 1]}};
        if (task_.accumulate) {
          const Pair before = *pair;
          value.v[0] += before.v[0];
          value.v[1] += before.v[1];
        }
        *pair = value;
      }
    }
  }

  const InterpolateTask<T>& task_;
  T* coefficients_;
  Batch& prepared_;
  C* tile_;
  const C* grid_;
  int lane_, chunk_, split_, row_, group_;
};

/// Bytes of shared memory before the tile.
template <typename Form, typename T>
constexpr int head_bytes(const Points<T>& points, int threads) {
  const int coefficients = (points.degree + 1) * points.stride * static_cast<int>(sizeof(T));
  return (coefficients + 15) / 16 * 16 + threads / warp_size * static_cast<int>(sizeof(typename Form::Batch));
}

template <typename T, int D, int W, int L, bool tiled>
__global__ void __launch_bounds__(tiled ? 512 : direct_threads,
                                  tiled ? (sizeof(T) == 4 ? 2 : 1) : (sizeof(T) == 4 || D == 1 ? 3 : 2))
    interpolate_kernel(const __grid_constant__ InterpolateTask<T> task) {
  using Form = Interpolation<T, D, W, L, tiled>;
  extern __shared__ __align__(16) char shared[];
  const int coefficients =
      ((task.points.degree + 1) * task.points.stride * static_cast<int>(sizeof(T)) + 15) / 16 * 16;
  auto* batches = reinterpret_cast<typename Form::Batch*>(shared + coefficients);
  Form form(task, reinterpret_cast<T*>(shared), batches,
            reinterpret_cast<typename Form::C*>(batches + blockDim.x / warp_size));
  if constexpr (tiled)
    form.run_tiled();
  else
    form.run_direct();
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
  const std::int64_t bytes = ((size[2] - 1) * plane + size[1] * row) * Share::chunk_bytes;
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
    task.tile_bins = tuning.tile_bins;
    for (; task.tile_bins > 0; task.tile_bins /= 2) {
      const std::int64_t bytes = lay_out_tile<Tiled>(task) + head_bytes<Tiled>(task.points, tuning.threads);
      if (bytes <= tuning.shared_bytes)
        return launch(interpolate_kernel<T, D, W, L, true>, tuning.threads, bytes);
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
