#pragma once

// Interpolation kernels. A few neighbouring threads (a group) work on one point: `chunks` of them share the
// lanes of a cell in loads of up to 16 bytes, `splits` share the cells of a row along x, and `row_threads`
// share the rows (y, z) around the point. A row is summed along x with weights in registers and multiplied
// once by the y and z weights; the partial sums of a group are added by shuffles at the end. Each warp
// computes the weights of a batch of points for all its groups beforehand.
//
// Performance is limited by reads of cells, 128 bytes per clock and multiprocessor. Hence the tiled form: a
// block copies the cells that neighbouring bins touch to shared memory, with pitches chosen so that each 128
// bytes read together are in different banks. The direct form reads the grid through the L1 cache.

#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_layout.cuh>
#include <larmor/operators/nufft/spread/cuda/interpolate/interpolate_task.hpp>
#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {

constexpr int direct_threads = 256;

template <typename T, int D, int W, int L, bool tiled>
class Interpolation {
 public:
  using Share = Layout<T, D, W, L, tiled>;
  using Batch = Prepared<T, D, W, L, Share::batch, Share::stride>;
  using Sample = Chunk<T, 2>;
  using C = Chunk<T, Share::chunk_reals>;

  /// The coefficients are valid after the next __syncthreads().
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
    part_ = thread / Share::chunks;
    group_ = lane_ / Share::group;
    load_coefficients(task.points, coefficients_);
  }

  /// Direct form: each warp processes batches of the block's points in turn.
  __device__ void run_direct() {
    const auto& points = task_.points;
    const int warps = blockDim.x / warp_size, bins = points.bins[0] * points.bins[1] * points.bins[2];
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * task_.chunk;
    const auto end = min(begin + task_.chunk, points.samples);
    std::int64_t p = begin + threadIdx.x / warp_size * Share::batch;
    __syncthreads();
    if (p >= end) return;
    int bin = find_bin(points.bin_start, bins, static_cast<int>(p));
    for (;;) {
      const int count = static_cast<int>(min(end - p, static_cast<std::int64_t>(Share::batch)));
      const int own = static_cast<int>(p) + min(lane_ % Share::batch, count - 1);
      prepare(own, bins_from(points.bin_start, bins, bin, own), nullptr);
      interpolate_batch(count);
      p += warps * Share::batch;
      if (p >= end) return;
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
      const TileBox tile = tile_of(bin);
      fetch(tile);
      if (p == begin) __syncthreads();  // the coefficients
      const int stop = min(points.bin_start[tile.last_bin + 1], end);
      // Batches as equal as the number of groups per warp allows.
      const int share = (stop - p + warps - 1) / warps;
      const int batch = min(Share::batch, (share + Share::groups - 1) / Share::groups * Share::groups);
      int q = p + warp * batch, count = min(batch, stop - q);
      if (count > 0) prepare_in(tile, bins, q, count);
      wait_for_tile();
      while (count > 0) {
        interpolate_batch(count);
        q += warps * batch;
        count = min(batch, stop - q);
        if (count > 0) prepare_in(tile, bins, q, count);
      }
      p = stop;
      if (p >= end) return;
      bin = next_bin(bins, tile.last_bin, p);
      __syncthreads();  // the tile is about to be overwritten
    }
  }

 private:
  __device__ int next_bin(int bins, int bin, int p) const {
    const int next = bin + 1 + lane_;
    const int start = next <= bins ? task_.points.bin_start[next] : 0x7fffffff;
    const int passed = __popc(__ballot_sync(whole_warp, start <= p));
    return passed < warp_size ? bin + passed : find_bin(task_.points.bin_start, bins, p);
  }

  __device__ TileBox tile_of(int bin) const {
    const auto& points = task_.points;
    const int row = bin / points.bins[0], in_row = bin - row * points.bins[0];
    const int first = in_row / task_.tile_bins * task_.tile_bins;
    const int last = min(first + task_.tile_bins, points.bins[0]) - 1;
    TileBox tile;
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

  // Starts the copy of a tile. Each thread keeps its position along x and steps over rows.
  __device__ void fetch(const TileBox& tile) const {
    const auto& points = task_.points;
    const int width = tile.size[0] * Share::chunks, columns = min(width, static_cast<int>(blockDim.x));
    const int step = blockDim.x / columns, first = threadIdx.x / columns;
    if (first >= step) return;
    const int step_z = D > 2 ? step / tile.size[1] : 0, step_y = step - step_z * tile.size[1];
    const int first_z = D > 2 ? first / tile.size[1] : 0;
    for (int i = threadIdx.x - first * columns; i < width; i += columns) {
      const int wrap = (points.grid[0] - tile.begin[0]) * Share::chunks;  // chunks before the periodic edge
      const C* from = grid_ + (i < wrap ? i + tile.begin[0] * Share::chunks : i - wrap);
      int y = first - first_z * tile.size[1], z = first_z;
      while (z < tile.size[2] && y < tile.size[1]) {
        std::int64_t line = 0;
        if constexpr (D > 2) {
          const int gz = tile.begin[2] + z;
          line = static_cast<std::int64_t>(gz >= points.grid[2] ? gz - points.grid[2] : gz) * points.grid[1];
        }
        const int gy = tile.begin[1] + y;
        line += gy >= points.grid[1] ? gy - points.grid[1] : gy;
        copy_chunk(tile_ + z * task_.plane_pitch + y * task_.row_pitch + i,
                   from + line * (points.grid[0] * Share::chunks));
        y += step_y;
        z += step_z;
        if (D > 2 && y >= tile.size[1]) y -= tile.size[1], ++z;
      }
    }
  }

  __device__ void prepare_in(const TileBox& tile, int bins, int p, int count) {
    const int own = p + min(lane_ % Share::batch, count - 1);
    const int bin =
        task_.tile_bins == 1 ? tile.first_bin : bins_from(task_.points.bin_start, bins, tile.first_bin, own);
    prepare(own, bin, &tile);
  }

  // Weights and places of a batch; thread i prepares point p, the i-th of the batch, in bin `bin`.
  __device__ void prepare(int p, int bin, const TileBox* tile) {
    const auto& points = task_.points;
    constexpr int sharing = warp_size / Share::batch;
    const int i = lane_ % Share::batch, part = lane_ / Share::batch;
    const std::uint32_t cell = points.cell[p];
    T u[D];
    for (int a = 0; a < D; ++a) u[a] = 2 * points.fraction[a * points.samples + p] - 1;
    order_ = points.order[p];
    scale_ = task_.weights ? task_.weights[order_] : T(1);
    if (part == 0) {
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
    evaluate_kernel<W, sharing>(
        coefficients_, points.degree, u,
        [&](int axis, int l, T weight) { prepared_.weight[axis][l][i] = weight; }, part);
    __syncwarp();
  }

  // The cells of one row along x that this thread sums.
  template <typename Load>
  __device__ void sum_row(const T (&weight)[Share::cells], T factor, T (&sum)[Share::chunk_reals],
                          const Load& load) const {
    T line[Share::chunk_reals];
#pragma unroll
    for (int j = 0; j < Share::cells; ++j) {
      const int l = part_ % Share::splits + Share::splits * j;
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

  // First cell that a point touches.
  struct Place {
    const C* cells;  // in the tile
    int x, y, z;     // on the grid
  };

  __device__ Place place_of(int i) const {
    Place place{};
    if constexpr (tiled) {
      place.cells = tile_ + prepared_.origin[0][i] + chunk_;
    } else {
      place.x = prepared_.origin[0][i];
      if constexpr (D > 1) place.y = prepared_.origin[1][i];
      if constexpr (D > 2) place.z = prepared_.origin[2][i];
    }
    return place;
  }

  // Adds row (y, z) of a neighbourhood.
  __device__ void add_row(const Place& place, const T (&weight)[Share::cells], T factor, int y, int z,
                          T (&sum)[Share::chunk_reals]) const {
    if constexpr (tiled) {
      const C* cells = place.cells;
      if constexpr (D > 1) cells += y * task_.row_pitch;
      if constexpr (D > 2) cells += z * task_.plane_pitch;
      sum_row(weight, factor, sum, [&](int l) { return cells[l * Share::chunks]; });
    } else {
      const auto& grid = task_.points.grid;
      const int wrap = grid[0] - place.x;
      std::int64_t line = 0;
      if constexpr (D > 2) {
        const int gz = place.z + z;
        line = static_cast<std::int64_t>(gz >= grid[2] ? gz - grid[2] : gz) * grid[1];
      }
      if constexpr (D > 1) {
        const int gy = place.y + y;
        line = (line + (gy >= grid[1] ? gy - grid[1] : gy)) * grid[0];
      }
      const C* cells = grid_ + (line + place.x) * Share::chunks + chunk_;
      sum_row(weight, factor, sum,
              [&](int l) { return cells[(l < wrap ? l : l - grid[0]) * Share::chunks]; });
    }
  }

  // Adds this thread's rows for the batch's point i.
  __device__ void add_rows(int i, const T (&weight)[Share::cells], T (&sum)[Share::chunk_reals]) const {
    const Place place = place_of(i);
    const int row = part_ / Share::splits;
    if constexpr (D == 1) {
      add_row(place, weight, T(1), 0, 0, sum);
    } else {
      // In 3D: rows y < whole for all z, with the y weights in registers if they are few.
      constexpr int fit = W / Share::row_threads, each = D == 3 && fit <= Share::most_held ? fit : 0;
      constexpr int whole = each * Share::row_threads;
      if constexpr (each > 0) {
        T weight_y[each];
#pragma unroll
        for (int j = 0; j < each; ++j) weight_y[j] = prepared_.weight[1][row + Share::row_threads * j][i];
#pragma unroll(each == 1 ? 2 : 1)
        for (int z = 0; z < W; ++z) {
          const T weight_z = prepared_.weight[2][z][i];
#pragma unroll
          for (int j = 0; j < each; ++j)
            add_row(place, weight, weight_y[j] * weight_z, row + Share::row_threads * j, z, sum);
        }
      }
      // The remaining rows in turn, y fastest.
      constexpr int left = W - whole, rows = D == 3 ? left * W : W;
      if constexpr (left > 0) {
        constexpr int rounds = rows / Share::row_threads, rest = rows % Share::row_threads;
        constexpr int step_y = Share::row_threads % left, step_z = Share::row_threads / left;
        int y = row % left, z = row / left;
        const auto add = [&] {
          T factor = prepared_.weight[1][whole + y][i];
          if constexpr (D == 3) factor *= prepared_.weight[2][z][i];
          add_row(place, weight, factor, whole + y, z, sum);
        };
#pragma unroll 2
        for (int round = 0; round < rounds; ++round) {
          add();
          y += step_y;
          z += step_z;
          if (y >= left) y -= left, ++z;
        }
        if (rest > 0 && row < rest) add();
      }
    }
  }

  __device__ void interpolate_batch(int count) const {
    const int split = part_ % Share::splits;
    for (int start = 0; start < count; start += Share::groups) {
      // Groups without a point repeat the last one, so that the warp stays together for the shuffles.
      const int i = min(start + group_, count - 1);
      T weight[Share::cells], sum[Share::chunk_reals];
#pragma unroll
      for (int j = 0; j < Share::cells; ++j) {
        const int l = split + Share::splits * j;
        weight[j] = W % Share::splits == 0 || l < W ? prepared_.weight[0][l][i] : T(0);
      }
      for (T& s : sum) s = 0;
      add_rows(i, weight, sum);
      combine(sum, i, start + group_ < count);
    }
    __syncwarp();
    store(count);
    __syncwarp();  // the next batch is prepared in the same place
  }

  // Adds the partial sums of a group. In each step a thread halves the number of values it carries, down to
  // one.
  __device__ void combine(T (&sum)[Share::chunk_reals], int i, bool active) const {
    int real = chunk_ * Share::chunk_reals;  // first value of the cell that this thread carries
#pragma unroll
    for (int bit = Share::parts / 2, carried = Share::chunk_reals; bit > 0; bit /= 2) {
      const bool upper = part_ & bit;
      if (carried > 1) {
        carried /= 2;
        if (upper) real += carried;
#pragma unroll
        for (int k = 0; k < carried; ++k) {
          const T low = sum[k], high = sum[k + carried];
          sum[k] =
              (upper ? high : low) + __shfl_xor_sync(whole_warp, upper ? low : high, bit * Share::chunks);
        }
      } else {
        sum[0] += __shfl_xor_sync(whole_warp, sum[0], bit * Share::chunks);
      }
    }
    __syncwarp();  // the weights are no longer needed
    if (!active || part_ % Share::owner_stride != 0) return;
#pragma unroll
    for (int k = 0; k < Share::carried; ++k) prepared_.value[real + k][i] = sum[k];
  }

  // Neighbouring threads store neighbouring points of one coil, so that readouts that cross a bin fill whole
  // sectors.
  __device__ void store(int count) const {
    const int i = lane_ % Share::batch;
    if (i >= count) return;
    for (int lane = lane_ / Share::batch; lane < L; lane += warp_size / Share::batch) {
      const std::int64_t coil = static_cast<std::int64_t>(blockIdx.y) * L + lane;
      if (coil >= task_.coils) return;
      Sample* to = reinterpret_cast<Sample*>(task_.samples) + coil * task_.sample_stride + order_;
      Sample value = {{scale_ * prepared_.value[2 * lane][i], scale_ * prepared_.value[2 * lane + 1][i]}};
      if (task_.accumulate) {
        const Sample before = *to;
        value.v[0] += before.v[0];
        value.v[1] += before.v[1];
      }
      *to = value;
    }
  }

  const InterpolateTask<T>& task_;
  T* coefficients_;
  Batch& prepared_;
  C* tile_;
  const C* grid_;
  int lane_, chunk_, part_, group_;
  // For point lane_ % batch of the batch.
  std::int32_t order_;
  T scale_;
};

/// Blocks per multiprocessor that the registers must allow; large tiles leave no room for a second block of
/// 512 threads.
template <typename T, int D, int L, bool tiled>
constexpr int blocks_per_processor = sizeof(T) == 8    ? (D == 1  ? 3
                                                          : tiled ? 1
                                                                  : 2)
                                     : !tiled          ? 3
                                     : D == 3 && L > 1 ? 1
                                                       : 2;

template <typename T, int D, int W, int L, bool tiled>
__global__ void __launch_bounds__(tiled ? 512 : direct_threads, blocks_per_processor<T, D, L, tiled>)
    interpolate_kernel(const __grid_constant__ InterpolateTask<T> task) {
  using Form = Interpolation<T, D, W, L, tiled>;
  extern __shared__ __align__(16) char shared[];
  T* coefficients = reinterpret_cast<T*>(shared);
  auto* batches = reinterpret_cast<typename Form::Batch*>(
      coefficients + coefficient_count<T>(task.points.width, task.points.degree));
  Form form(task, coefficients, batches,
            reinterpret_cast<typename Form::C*>(batches + blockDim.x / warp_size));
  if constexpr (tiled)
    form.run_tiled();
  else
    form.run_direct();
}

}  // namespace larmor::nufft::cuda
