#pragma once

#include <larmor/operators/nufft/cuda/spread_mma.cuh>
#include <larmor/operators/nufft/cuda/spread_task.hpp>

#include <cuda_runtime.h>

#include <algorithm>

// Output-driven spreading. A warp owns a tile of the grid and looks at the points of the bins around it. For
// the points that touch the tile, 32 at a time, it evaluates the kernel along each axis, once per point, into
// shared memory. The tile's sums are then a matrix product over the points: rows are cells in y and z (weight
// wy·wz), columns are cells in x and lanes (value·wx). Nothing is added in memory: no atomics, no clearing of
// the grid. In one dimension the rows are the cells in x and the columns are the lanes.
namespace larmor::nufft::cuda {

constexpr int spread_warps = 4;  // per block

template <typename T, int dims, int lanes>
struct Tile {
  using M = Mma<T>;
  static __host__ __device__ constexpr int cells(int axis) { return tile_cells(dims, lanes, axis); }
  static constexpr int column_cells = dims == 1 ? 1 : tile_cells(dims, lanes, 0);
  static constexpr int row_cells =
      dims == 1 ? tile_cells(dims, lanes, 0) : tile_cells(dims, lanes, 1);  // of the rows' inner axis
  static constexpr int rows =
      dims == 1 ? tile_cells(dims, lanes, 0) : tile_cells(dims, lanes, 1) * tile_cells(dims, lanes, 2);
  static constexpr int columns = column_cells * lanes;  // complex
  static constexpr int row_tiles = rows / M::rows, column_tiles = (columns + 3) / 4;
  static constexpr int sums = row_tiles * column_tiles * M::sums;  // of a thread

  // Shared memory of a warp: for each of 32 points its weights at the tile's cells of each axis, and its
  // values. Points run fastest; rows are padded so that threads that read different rows meet different
  // banks.
  static constexpr int pitch = 32 + 16 / static_cast<int>(sizeof(T));
  static constexpr int weight_rows = tile_cells(dims, lanes, 0) +
                                     (dims > 1 ? tile_cells(dims, lanes, 1) : 0) +
                                     (dims > 2 ? tile_cells(dims, lanes, 2) : 0);
  static constexpr int list = 64;  // points that wait for their turn
  static constexpr std::size_t warp_bytes = (weight_rows + 2 * lanes) * pitch * sizeof(T) + list * 8;

  // Complex column of the tile's row that a thread gets from column tile j, q the number of a column pair in
  // 0..3. Single precision pairs neighbours, so that a thread can store 16 bytes.
  static __device__ constexpr int column(int j, int q) {
    return sizeof(T) == 4 && column_tiles % 2 == 0 ? 8 * (j / 2) + 2 * q + j % 2 : 4 * j + q;
  }
};

template <typename T>
constexpr int most_coefficients = 8 * 9 * 2;  // pairs of even and odd ones of half the cells

// Coefficients of the first half of the kernel's cells in shared memory, even and odd powers side by side:
// φ is even, so that cell w − 1 − l has those of cell l with u negated.
template <typename T>
__device__ void load_coefficients(const Points<T>& points, T* coefficients) {
  const int pairs = points.degree / 2 + 1, half = (points.width + 1) / 2;
  for (int i = threadIdx.x; i < half * pairs * 2; i += blockDim.x) {
    const int l = i / (2 * pairs), power = 2 * (pairs - 1 - i / 2 % pairs) + i % 2;
    coefficients[i] =
        power <= points.degree ? points.coefficients[(points.degree - power) * points.stride + l] : T(0);
  }
}

template <typename T>
struct alignas(2 * sizeof(T)) Two {
  T even, odd;
};
template <typename T>
struct alignas(16) Vector {
  T v[16 / sizeof(T)];
};

template <typename T, int dims, int lanes>
class TileSum {
  using S = Tile<T, dims, lanes>;
  using M = Mma<T>;

 public:
  __device__ TileSum(const SpreadLaunch<T>& launch, const T* coefficients, char* shared, int block, int tile)
      : launch_(launch),
        coefficients_(coefficients),
        weights_(reinterpret_cast<T*>(shared)),
        values_(weights_ + S::weight_rows * S::pitch),
        list_(reinterpret_cast<uint2*>(values_ + 2 * lanes * S::pitch)),
        lane_(static_cast<int>(threadIdx.x % 32)),
        block_(block) {
    for (int a = 0; a < 3; ++a) {
      const int t = a < 2 ? tile % launch.tasks.tiles[a] : tile;
      tile /= launch.tasks.tiles[a];
      first_[a] = t * S::cells(a);
    }
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i)
#pragma unroll
      for (int j = 0; j < S::column_tiles; ++j)
#pragma unroll
        for (int k = 0; k < M::sums; ++k) sum_[i][j][k] = 0;
  }

  /// Adds the candidates [begin, end) of the points in the bins around the tile.
  __device__ void add(std::uint32_t begin, std::uint32_t end) {
    const Points<T>& points = launch_.points;
    AxisBins around[3];
#pragma unroll
    for (int a = 0; a < dims; ++a)
      around[a] = AxisBins(first_[a], S::cells(a), points.grid[a], points.bins[a], launch_.bin_shift[a],
                           points.width);
    const int nx = around[0].count, nxy = nx * around[1].count, bins = nxy * around[2].count;
    std::uint32_t before = 0;  // candidates in bins before this round's
    int waiting = 0, head = 0;
    for (int first_bin = 0; first_bin < bins && before < end; first_bin += 32) {
      // One bin per thread.
      std::uint32_t start = 0, count = 0, origin = 0;
      const int i = first_bin + lane_;
      if (i < bins) {
        const int iz = dims > 2 ? divide(i, nxy) : 0, iy = dims > 1 ? divide(i - iz * nxy, nx) : 0,
                  ix = i - iz * nxy - iy * nx;
        std::int64_t bin = around[0].bin(ix);
        origin = static_cast<std::uint32_t>(around[0].origin(ix) + 128);
        if (dims > 1) {
          bin += std::int64_t{around[1].bin(iy)} * points.bins[0];
          origin |= static_cast<std::uint32_t>(around[1].origin(iy) + 128) << 8;
        }
        if (dims > 2) {
          bin += std::int64_t{around[2].bin(iz)} * points.bins[0] * points.bins[1];
          origin |= static_cast<std::uint32_t>(around[2].origin(iz) + 128) << 16;
        }
        start = points.bin_start[bin];
        count = points.bin_start[bin + 1] - start;
      }
      std::uint32_t through = count;  // candidates through this thread's bin
#pragma unroll
      for (int step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(~0u, through, step);
        if (lane_ >= step) through += other;
      }
      const std::uint32_t total = __shfl_sync(~0u, through, 31);
      start -= through - count;
      const std::uint32_t from = begin > before ? begin - before : 0, to = min(end - before, total);
      for (std::uint32_t base = from; base < to; base += 32) {
        // The bin of candidate base + lane: the first whose points go through it.
        const std::uint32_t candidate = base + lane_;
        int bin = 0;
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
          if (__shfl_sync(~0u, through, bin + step - 1) <= candidate) bin += step;
        const std::uint32_t p = __shfl_sync(~0u, start, bin) + candidate;
        std::uint32_t place = __shfl_sync(~0u, origin, bin);
        bool hit = candidate < to;
        if (hit) {
          place += points.cell[p];
#pragma unroll
          for (int a = 0; a < dims; ++a) {
            const int d = offset(place, a);
            hit = hit && d > -points.width && d < S::cells(a);
          }
        }
        const unsigned hits = __ballot_sync(~0u, hit);
        if (hit)
          list_[(head + waiting + __popc(hits & ((1u << lane_) - 1))) % S::list] = make_uint2(p, place);
        waiting += __popc(hits);
        if (waiting >= 32) {
          add_listed(head, 32);
          head = (head + 32) % S::list;
          waiting -= 32;
        }
      }
      before += total;
    }
    if (waiting > 0) add_listed(head, waiting);
  }

  __device__ void store(std::complex<T>* grid) const {
    const Points<T>& points = launch_.points;
    const int g = lane_ / 4, t = lane_ % 4;
    const std::int64_t row_values = std::int64_t{points.grid[0]} * lanes;
    T* out = reinterpret_cast<T*>(grid + block_ * row_values * points.grid[1] * points.grid[2]);
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i)
#pragma unroll
      for (int h = 0; h < M::halves; ++h) {
        const int r = i * M::rows + h * 8 + g;
        const int inner = first_[dims == 1 ? 0 : 1] + r % S::row_cells, z = first_[2] + r / S::row_cells;
        if (inner >= points.grid[dims == 1 ? 0 : 1] || z >= points.grid[2]) continue;
        const std::int64_t row =
            dims == 1 ? std::int64_t{inner} * lanes : (std::int64_t{z} * points.grid[1] + inner) * row_values;
        // Complex values of the row that lie on the grid.
        const int end = dims == 1 ? lanes : min(S::columns, (points.grid[0] - first_[0]) * lanes);
        T* line = out + 2 * (row + (dims == 1 ? 0 : std::int64_t{first_[0]} * lanes));
        if constexpr (sizeof(T) == 4 && S::column_tiles % 2 == 0) {
          if (row_values % 2 == 0) {
#pragma unroll
            for (int j = 0; j < S::column_tiles; j += 2)
              if (S::column(j, t) < end)
                *reinterpret_cast<float4*>(line + 2 * S::column(j, t)) =
                    make_float4(sum_[i][j][2 * h], sum_[i][j][2 * h + 1], sum_[i][j + 1][2 * h],
                                sum_[i][j + 1][2 * h + 1]);
            continue;
          }
        }
#pragma unroll
        for (int j = 0; j < S::column_tiles; ++j)
          if (S::column(j, t) < end)
            *reinterpret_cast<Two<T>*>(line + 2 * S::column(j, t)) = {sum_[i][j][2 * h],
                                                                      sum_[i][j][2 * h + 1]};
      }
  }

  __device__ void store_partial(T* partial) const {
    for_sums([&](int k, const T& sum) { partial[k * 32 + lane_] = sum; });
  }
  __device__ void add_partial(const T* partial) {
    for_sums([&](int k, T& sum) { sum += partial[k * 32 + lane_]; });
  }

 private:
  template <typename F>
  __device__ void for_sums(const F& f) {
#pragma unroll
    for (int k = 0; k < S::sums; ++k)
      f(k, sum_[k / (S::column_tiles * M::sums)][k / M::sums % S::column_tiles][k % M::sums]);
  }
  template <typename F>
  __device__ void for_sums(const F& f) const {
    const_cast<TileSum*>(this)->for_sums(f);
  }

  // Quotient of small numbers.
  static __device__ int divide(int a, int b) {
    return static_cast<int>(__fdividef(static_cast<float>(a) + 0.5f, static_cast<float>(b)));
  }
  // Where a point's first cell lies relative to the tile.
  static __device__ int offset(std::uint32_t place, int axis) {
    return static_cast<int>(place >> (8 * axis) & 255) - 128;
  }

  // Weights and values of `count` points of the list in shared memory, then their products.
  __device__ void add_listed(int head, int count) {
    __syncwarp();
    const Points<T>& points = launch_.points;
    const uint2 entry = list_[(head + lane_) % S::list];
    const bool active = lane_ < count;
    const std::uint32_t p = active ? entry.x : 0;
    T u[dims];
#pragma unroll
    for (int a = 0; a < dims; ++a) u[a] = 2 * points.fraction[a * points.samples + p] - 1;
    load_values(p, active);

    T* const mine = weights_ + lane_;
#pragma unroll
    for (int r = 0; r < S::weight_rows; ++r) mine[r * S::pitch] = 0;
    const auto put = [&](int axis, int cell, T weight) {
      if (active && static_cast<unsigned>(cell) < static_cast<unsigned>(S::cells(axis)))
        mine[(row_of(axis) + cell) * S::pitch] = weight;
    };
    T square[dims];
    int from[dims];
#pragma unroll
    for (int a = 0; a < dims; ++a) {
      square[a] = u[a] * u[a];
      from[a] = offset(entry.y, a);
    }
    const int pairs = points.degree / 2 + 1;
    const auto* c = reinterpret_cast<const Two<T>*>(coefficients_);
    for (int l = 0; 2 * l < points.width; ++l) {
      Two<T> sum[dims];
      const Two<T> highest = *c++;
#pragma unroll
      for (int a = 0; a < dims; ++a) sum[a] = highest;
      for (int k = 1; k < pairs; ++k) {
        const Two<T> next = *c++;
#pragma unroll
        for (int a = 0; a < dims; ++a) {
          sum[a].even = sum[a].even * square[a] + next.even;
          sum[a].odd = sum[a].odd * square[a] + next.odd;
        }
      }
      const int mirror = points.width - 1 - l;
#pragma unroll
      for (int a = 0; a < dims; ++a) {
        put(a, from[a] + l, sum[a].even + u[a] * sum[a].odd);
        if (mirror != l) put(a, from[a] + mirror, sum[a].even - u[a] * sum[a].odd);
      }
    }
    __syncwarp();
    multiply(count);
  }

  static __device__ constexpr int row_of(int axis) {
    return axis == 0 ? 0 : axis == 1 ? S::cells(0) : S::cells(0) + S::cells(1);
  }

  __device__ void load_values(std::uint32_t p, bool active) {
    constexpr int each = lanes * 2 * sizeof(T) < 16 ? 2 : 16 / sizeof(T);
    struct alignas(each * sizeof(T)) Part {
      T v[each];
    };
    const auto* from =
        reinterpret_cast<const Part*>(launch_.values + (block_ * launch_.points.samples + p) * lanes);
#pragma unroll
    for (int i = 0; i < 2 * lanes / each; ++i) {
      Part part{};
      if (active) part = from[i];
#pragma unroll
      for (int k = 0; k < each; ++k) values_[(i * each + k) * S::pitch + lane_] = part.v[k];
    }
  }

  __device__ Vector<T> load(const T* row, int first_point) const {
    return *reinterpret_cast<const Vector<T>*>(row + first_point);
  }

  // Tensor cores cut float sums off instead of rounding them: only short sums are made there.
  __device__ void multiply(int count) {
    constexpr int own = M::per_thread, group = 4 * own;
    const int g = lane_ / 4, t = lane_ % 4;
    T part[S::row_tiles][S::column_tiles][M::sums];
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i)
#pragma unroll
      for (int j = 0; j < S::column_tiles; ++j)
#pragma unroll
        for (int k = 0; k < M::sums; ++k) part[i][j][k] = sizeof(T) == 4 ? T(0) : sum_[i][j][k];
    for (int first = 0; first < count; first += group) {
      const int point = first + own * t;
      typename M::Split a[S::row_tiles][M::halves];
#pragma unroll
      for (int i = 0; i < S::row_tiles; ++i)
#pragma unroll
        for (int h = 0; h < M::halves; ++h) {
          const int above = i * M::rows + h * 8;  // the row is this + g
          const int inner = S::row_cells <= 8 ? g % S::row_cells : above + g;
          Vector<T> w = load(weights_ + ((dims == 1 ? 0 : row_of(1)) + inner) * S::pitch, point);
          if (dims == 3) {
            const int z = S::row_cells <= 8 ? above / S::row_cells + g / S::row_cells : 0;
            const Vector<T> wz = load(weights_ + (row_of(2) + z) * S::pitch, point);
#pragma unroll
            for (int k = 0; k < own; ++k) w.v[k] *= wz.v[k];
          }
          a[i][h] = M::split(w.v);
        }
#pragma unroll
      for (int j = 0; j < S::column_tiles; ++j) {
        const int column = S::column(j, g / 2);
        const bool used = S::columns % 4 == 0 || column < S::columns;
        Vector<T> v = load(values_ + (used ? 2 * (column % lanes) + g % 2 : 0) * S::pitch, point);
        if (dims > 1) {
          const Vector<T> wx = load(weights_ + column / lanes * S::pitch, point);
#pragma unroll
          for (int k = 0; k < own; ++k) v.v[k] *= wx.v[k];
        }
        const auto b = M::split(v.v);
#pragma unroll
        for (int i = 0; i < S::row_tiles; ++i) M::multiply(part[i][j], a[i], b);
      }
    }
#pragma unroll
    for (int i = 0; i < S::row_tiles; ++i)
#pragma unroll
      for (int j = 0; j < S::column_tiles; ++j)
#pragma unroll
        for (int k = 0; k < M::sums; ++k)
          sum_[i][j][k] = sizeof(T) == 4 ? sum_[i][j][k] + part[i][j][k] : part[i][j][k];
    __syncwarp();
  }

  const SpreadLaunch<T>& launch_;
  const T* coefficients_;
  T* weights_;
  T* values_;
  uint2* list_;
  int lane_, block_, first_[3];
  T sum_[S::row_tiles][S::column_tiles][M::sums];
};

template <typename T>
__device__ T* partial_sums(const SpreadLaunch<T>& launch, int block, std::int64_t piece, int sums) {
  return reinterpret_cast<T*>(launch.partial) +
         (std::int64_t{block} * launch.tasks.most_pieces + piece) * sums * 32;
}

// The first blocks work on pieces of crowded tiles, as they take longest; the others on tiles.
template <typename T, int dims, int lanes>
__global__ void __launch_bounds__(32 * spread_warps)
    spread_tiles(const __grid_constant__ SpreadLaunch<T> launch, int piece_blocks, int tiles_per_warp) {
  using S = Tile<T, dims, lanes>;
  extern __shared__ __align__(16) char shared[];
  T* coefficients = reinterpret_cast<T*>(shared);
  const int warp = static_cast<int>(threadIdx.x / 32), block = static_cast<int>(blockIdx.y);
  char* mine = shared + most_coefficients<T> * sizeof(T) + warp * S::warp_bytes;
  const bool in_pieces = static_cast<int>(blockIdx.x) < piece_blocks;
  if (in_pieces && static_cast<int>(blockIdx.x) * spread_warps >= launch.tasks.counts->pieces) return;
  load_coefficients(launch.points, coefficients);
  __syncthreads();
  if (in_pieces) {
    const int pieces = launch.tasks.counts->pieces;
    for (int i = static_cast<int>(blockIdx.x) * spread_warps + warp; i < pieces;
         i += piece_blocks * spread_warps) {
      const SpreadPiece piece = launch.tasks.pieces[i];
      TileSum<T, dims, lanes> sum(launch, coefficients, mine, block, piece.tile);
      sum.add(piece.begin, piece.end);
      sum.store_partial(partial_sums(launch, block, i, S::sums));
    }
    return;
  }
  const std::int64_t first =
      ((std::int64_t{blockIdx.x} - piece_blocks) * tiles_per_warp) * spread_warps + warp;
  for (int i = 0; i < tiles_per_warp; ++i) {
    const std::int64_t tile = first + i * spread_warps;
    if (tile >= launch.tasks.all_tiles) return;
    const std::uint32_t points = launch.tasks.points[tile];
    if (points > launch.tasks.counts->crowd) continue;
    TileSum<T, dims, lanes> sum(launch, coefficients, mine, block, static_cast<int>(tile));
    if (points > 0) sum.add(0, points);
    sum.store(launch.grid);
  }
}

// The pieces of crowded tiles are added in a fixed order: by warp w those with number w modulo the warps,
// then over the warps.
constexpr int combine_warps = 8;

template <typename T, int dims, int lanes>
__global__ void __launch_bounds__(32 * combine_warps)
    combine_pieces(const __grid_constant__ SpreadLaunch<T> launch) {
  using S = Tile<T, dims, lanes>;
  extern __shared__ __align__(16) char shared[];
  T* part = reinterpret_cast<T*>(shared);
  const int warp = static_cast<int>(threadIdx.x / 32), block = static_cast<int>(blockIdx.y);
  const int crowded = launch.tasks.counts->crowded;
  for (int c = static_cast<int>(blockIdx.x); c < crowded; c += static_cast<int>(gridDim.x)) {
    const CrowdedTile tile = launch.tasks.crowded[c];
    TileSum<T, dims, lanes> sum(launch, nullptr, nullptr, block, tile.tile);
    for (int i = warp; i < tile.pieces; i += combine_warps)
      sum.add_partial(partial_sums(launch, block, tile.first_piece + i, S::sums));
    if (warp > 0) sum.store_partial(part + (warp - 1) * S::sums * 32);
    __syncthreads();
    if (warp == 0) {
      for (int w = 0; w < combine_warps - 1; ++w) sum.add_partial(part + w * S::sums * 32);
      sum.store(launch.grid);
    }
    __syncthreads();
  }
}

template <typename T, int dims, int lanes>
void launch_lanes(const SpreadLaunch<T>& launch, larmor::cuda::Stream stream) {
  using S = Tile<T, dims, lanes>;
  using larmor::cuda::check;
  constexpr std::size_t bytes = most_coefficients<T> * sizeof(T) + spread_warps * S::warp_bytes;
  const auto kernel = spread_tiles<T, dims, lanes>;
  if (bytes > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "preparing to spread");
  // Blocks that work on several tiles load the coefficients less often; there should still be many blocks.
  const std::int64_t tiles = launch.tasks.all_tiles;
  const int tiles_per_warp =
      static_cast<int>(std::clamp<std::int64_t>(tiles * launch.blocks / (1 << 16), 1, 8));
  const std::int64_t per_block = std::int64_t{spread_warps} * tiles_per_warp;
  const int piece_blocks = std::min((launch.tasks.most_pieces + spread_warps - 1) / spread_warps, 4096);
  const dim3 blocks(static_cast<unsigned>(piece_blocks + (tiles + per_block - 1) / per_block), launch.blocks);
  kernel<<<blocks, 32 * spread_warps, bytes, stream>>>(launch, piece_blocks, tiles_per_warp);
  larmor::cuda::check_launch("spread_tiles");

  constexpr std::size_t combine_bytes = (combine_warps - 1) * S::sums * 32 * sizeof(T);
  const auto combine = combine_pieces<T, dims, lanes>;
  if (combine_bytes > 48 * 1024)
    check(cudaFuncSetAttribute(combine, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(combine_bytes)),
          "preparing to spread");
  const auto most_crowded =
      std::min<std::int64_t>(std::min<std::int64_t>(tiles, launch.tasks.most_pieces), 512);
  combine<<<dim3(static_cast<unsigned>(most_crowded), launch.blocks), 32 * combine_warps, combine_bytes,
            stream>>>(launch);
  larmor::cuda::check_launch("combine_pieces");
}

template <typename T, int dims>
void launch_spread(const SpreadLaunch<T>& launch, larmor::cuda::Stream stream) {
  switch (launch.tasks.lanes) {
    case 1:
      return launch_lanes<T, dims, 1>(launch, stream);
    case 2:
      return launch_lanes<T, dims, 2>(launch, stream);
    case 4:
      return launch_lanes<T, dims, 4>(launch, stream);
    default:
      if constexpr (can_spread<T>(8)) launch_lanes<T, dims, 8>(launch, stream);
  }
}

}  // namespace larmor::nufft::cuda
