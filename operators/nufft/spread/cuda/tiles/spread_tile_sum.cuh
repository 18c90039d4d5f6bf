#pragma once

#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_mma.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_task.hpp>

#include <cuda_runtime.h>

// The sums of one tile of the grid, computed by one warp. It reads the points of the bins around the tile.
// For those that touch the tile, 32 at a time, it evaluates the kernel along each axis, once per point, into
// shared memory. The sums are then a matrix product over the points: rows are cells in y and z (weight
// wy·wz), columns are cells in x and lanes (value·wx). In one dimension the rows are the cells in x, the
// columns the lanes.
namespace larmor::nufft::cuda {

template <typename T, int dims, int lanes>
struct Tile {
  using M = Mma<T>;
  static __device__ constexpr int cells(int axis) { return tile_cells(dims, lanes, axis); }
  static constexpr int column_cells = dims == 1 ? 1 : tile_cells(dims, lanes, 0);
  // Along the inner axis of the rows.
  static constexpr int row_cells = dims == 1 ? tile_cells(dims, lanes, 0) : tile_cells(dims, lanes, 1);
  static constexpr int rows =
      dims == 1 ? tile_cells(dims, lanes, 0) : tile_cells(dims, lanes, 1) * tile_cells(dims, lanes, 2);
  static constexpr int columns = column_cells * lanes;  // complex
  static constexpr int row_tiles = rows / M::rows, column_tiles = (columns + 3) / 4;
  static constexpr int together = column_tiles < 4 ? column_tiles : 4;  // column tiles at a time
  static constexpr int sums = row_tiles * column_tiles * M::sums;       // per thread

  // Shared memory of a warp: for each of 32 points its weights at the tile's cells along each axis, and its
  // values. Points are the fastest index, so that threads writing weights of different points access
  // different banks. Rows of values are padded, because threads that load a pair of points read two rows.
  static constexpr int pitch = 32, value_pitch = 32 + 16 / static_cast<int>(sizeof(T));
  static constexpr int weight_rows = tile_cells(dims, lanes, 0) +
                                     (dims > 1 ? tile_cells(dims, lanes, 1) : 0) +
                                     (dims > 2 ? tile_cells(dims, lanes, 2) : 0);
  static constexpr int weight_vectors = weight_rows * pitch * static_cast<int>(sizeof(T)) / 16;
  static constexpr int list = 64;  // listed points that are still to be processed
  static constexpr int kept_sums = sizeof(T) == 4 ? 32 * sums : 0;
  static constexpr std::size_t warp_bytes =
      (weight_rows * pitch + 2 * lanes * value_pitch + kept_sums) * sizeof(T) + list * 8;

  // Complex column of the tile's row that a thread holds in column tile j, where q in 0..3 is the index of a
  // column pair. Single precision uses neighbouring pairs, so that a thread can store 16 bytes.
  static __device__ constexpr int column(int j, int q) {
    return sizeof(T) == 4 && column_tiles % 2 == 0 ? 8 * (j / 2) + 2 * q + j % 2 : 4 * j + q;
  }
};

template <typename T, int dims, int lanes, int width>
class TileSum {
  using S = Tile<T, dims, lanes>;
  using M = Mma<T>;

 public:
  __device__ TileSum(const SpreadLaunch<T>& launch, const T* coefficients, char* shared, int block, int tile)
      : launch_(launch),
        coefficients_(coefficients),
        weights_(reinterpret_cast<T*>(shared)),
        values_(weights_ + S::weight_rows * S::pitch),
        kept_(values_ + 2 * lanes * S::value_pitch),
        list_(reinterpret_cast<uint2*>(kept_ + S::kept_sums)),
        lane_(static_cast<int>(threadIdx.x % 32)),
        block_(block) {
    for (int a = 0; a < 3; ++a) {
      const int t = a < 2 ? tile % launch.tasks.tiles[a] : tile;
      tile /= launch.tasks.tiles[a];
      first_[a] = t * S::cells(a);
    }
    for_sums([](int, T& sum) { sum = 0; });
  }

  /// Adds the candidates [begin, end) of the points in the bins around the tile.
  __device__ void add(std::uint32_t begin, std::uint32_t end) {
    // Bounds of a point's position relative to the tile, a byte per axis (see list_hits).
    std::uint32_t lowest = 0, highest = 0;
#pragma unroll
    for (int a = 0; a < dims; ++a) {
      lowest |= static_cast<std::uint32_t>(place_zero - width + 1) << (8 * a);
      highest |= static_cast<std::uint32_t>(place_zero + S::cells(a) - 1) << (8 * a);
    }
    Bin bin{};
    Candidate next{};
    std::uint32_t base = 0, to = 0;  // candidates of this round of bins that have not been read yet
    std::uint32_t before = 0;        // candidates in the bins of earlier rounds
    int first_bin = 0, waiting = 0, head = 0;
    for (bool more = true; more;) {
      if (base < to) {
        const Candidate candidate = next;
        const bool active = base + lane_ < to;
        base += 32;
        if (base < to) next = find_candidate(bin, base, to);  // loaded while others are processed
        waiting += list_hits(candidate, active, lowest, highest, head + waiting);
      } else {
        std::uint32_t total;
        more = before < end && next_bins(first_bin, bin, total);
        if (more) {
          base = begin > before ? begin - before : 0;
          to = min(end - before, total);
          before += total;
          first_bin += 32;
          if (base < to) next = find_candidate(bin, base, to);
        }
      }
      if (waiting >= 32 || (!more && waiting > 0)) {
        const int count = min(waiting, 32);
        add_listed(head, count);
        head = (head + count) % S::list;
        waiting -= count;
      }
    }
    restore_sums();
  }

  /// Long tiles hold few weights of a point: these are cleared after use; this function clears all of them
  /// once.
  static constexpr bool keeps_zeros = dims == 1;
  static __device__ void clear_weights(void* shared) {
    auto* all = static_cast<Vector<T>*>(shared);
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < S::weight_vectors; i += 32)
      if (i + 32 <= S::weight_vectors || i + lane < S::weight_vectors) all[i + lane] = Vector<T>{};
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
        // Number of complex values of the row that are on the grid.
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
            *reinterpret_cast<Complex<T>*>(line + 2 * S::column(j, t)) = {sum_[i][j][2 * h],
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

  static constexpr int place_zero = 64;

  // Quotient of small numbers.
  static __device__ int divide(int a, int b) {
    return static_cast<int>(__fdividef(static_cast<float>(a) + 0.5f, static_cast<float>(b)));
  }
  struct Bin {
    std::uint32_t offset;  // number of candidates in the round's earlier bins
    std::uint32_t start;   // the bin's first point, less offset
    std::uint32_t origin;  // position of the bin relative to the tile, a byte per axis
  };

  // A thread's bin among those around the tile, from index first_bin on, and their total number of
  // candidates. False if there are no more bins.
  __device__ bool next_bins(int first_bin, Bin& bin, std::uint32_t& total) {
    const Points<T>& points = launch_.points;
    AxisBins around[3];
#pragma unroll
    for (int a = 0; a < dims; ++a)
      around[a] =
          AxisBins(first_[a], S::cells(a), points.grid[a], points.bins[a], launch_.bin_shift[a], width);
    const int nx = around[0].count, nxy = nx * around[1].count, bins = nxy * around[2].count;
    if (first_bin >= bins) return false;
    std::uint32_t count = 0;
    const int i = first_bin + lane_;
    if (i < bins) {
      const int iz = dims > 2 ? divide(i, nxy) : 0, iy = dims > 1 ? divide(i - iz * nxy, nx) : 0,
                ix = i - iz * nxy - iy * nx;
      std::int64_t b = around[0].bin(ix);
      bin.origin = static_cast<std::uint32_t>(around[0].origin(ix) + place_zero);
      if (dims > 1) {
        b += std::int64_t{around[1].bin(iy)} * points.bins[0];
        bin.origin |= static_cast<std::uint32_t>(around[1].origin(iy) + place_zero) << 8;
      }
      if (dims > 2) {
        b += std::int64_t{around[2].bin(iz)} * points.bins[0] * points.bins[1];
        bin.origin |= static_cast<std::uint32_t>(around[2].origin(iz) + place_zero) << 16;
      }
      bin.start = points.bin_start[b];
      count = points.bin_start[b + 1] - bin.start;
    }
    bin.offset = count;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(~0u, bin.offset, step);
      if (lane_ >= step) bin.offset += other;
    }
    total = __shfl_sync(~0u, bin.offset, 31);
    bin.offset -= count;
    bin.start -= bin.offset;
    // Bins with points move to the first threads; the others get an offset larger than any candidate.
    const unsigned full = __ballot_sync(~0u, count > 0);
    auto* moved = reinterpret_cast<uint4*>(weights_);  // free at this time
    __syncwarp();
    if (count > 0)
      moved[__popc(full & ((1u << lane_) - 1))] = make_uint4(bin.offset, bin.start, bin.origin, 0);
    __syncwarp();
    const uint4 mine = moved[lane_];
    bin = {lane_ < __popc(full) ? mine.x : ~0u, mine.y, mine.z};
    if (keeps_zeros) moved[lane_] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    return true;
  }

  struct Candidate {
    std::uint32_t point, origin, cell;
  };

  // Candidate base + lane of the round.
  __device__ Candidate find_candidate(const Bin& bin, std::uint32_t base, std::uint32_t to) const {
    // Its bin is the last that starts at or before it.
    const std::uint32_t number = base + lane_, ahead = bin.offset - base;
    const int passed = __popc(__ballot_sync(~0u, bin.offset <= base));
    const unsigned begins = __reduce_or_sync(~0u, ahead - 1 < 31 ? 1u << ahead : 0u);
    const int owner = passed - 1 + __popc(begins & ((2u << lane_) - 1));
    Candidate candidate;
    candidate.point = __shfl_sync(~0u, bin.start, owner) + number;
    candidate.origin = __shfl_sync(~0u, bin.origin, owner);
    candidate.cell = number < to ? launch_.points.cell[candidate.point] : 0;
    return candidate;
  }

  // Lists the candidates that touch the tile, starting at `tail`; returns their number.
  __device__ int list_hits(const Candidate& candidate, bool active, std::uint32_t lowest,
                           std::uint32_t highest, int tail) {
    // Position of the point's first cell relative to the tile. Bytes are below 128, so their top bits show
    // which differences are negative.
    const std::uint32_t place = candidate.origin + candidate.cell;
    constexpr std::uint32_t guard = dims == 1 ? 0x80 : dims == 2 ? 0x8080 : 0x808080;
    const bool hit = active && (((place | guard) - lowest) & ((highest | guard) - place) & guard) == guard;
    const unsigned hits = __ballot_sync(~0u, hit);
    if (hit)
      list_[(tail + __popc(hits & ((1u << lane_) - 1))) % S::list] = make_uint2(candidate.point, place);
    return __popc(hits);
  }

  // Tensor cores truncate float sums instead of rounding them, so they compute only short sums, which are
  // added in shared memory.
  __device__ void keep_sums() {
    for_sums([&](int k, T& sum) {
      T* kept = kept_ + k * 32 + lane_;
      *kept = has_kept_ ? *kept + sum : sum;
      sum = 0;
    });
    has_kept_ = true;
    unkept_ = 0;
  }
  __device__ void restore_sums() {
    if (has_kept_) for_sums([&](int k, T& sum) { sum += kept_[k * 32 + lane_]; });
  }

  // Writes weights and values of `count` listed points to shared memory, then computes their products.
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

    if (!keeps_zeros) {
      clear_weights(weights_);
      __syncwarp();
    }
    int from[dims];  // position of the point's first cell relative to the tile
    T* to[dims];     // and its row
#pragma unroll
    for (int a = 0; a < dims; ++a) {
      from[a] = active ? static_cast<int>(entry.y >> (8 * a) & 255) - place_zero : S::cells(a);
      to[a] = weights_ + lane_ + (row_of(a) + from[a]) * S::pitch;
    }
    const auto put = [&](int axis, int l, T weight) {
      if (static_cast<unsigned>(from[axis] + l) < static_cast<unsigned>(S::cells(axis)))
        to[axis][l * S::pitch] = weight;
    };
    evaluate_kernel<width>(coefficients_, points.degree, u, put);
    __syncwarp();
    multiply(count);
    if (keeps_zeros)
#pragma unroll
      for (int l = 0; l < width; ++l) put(0, l, T(0));
  }

  static __device__ constexpr int row_of(int axis) {
    return axis == 0 ? 0 : axis == 1 ? S::cells(0) : S::cells(0) + S::cells(1);
  }

  __device__ void load_values(std::uint32_t p, bool active) {
    T* const mine = values_ + lane_;
    if constexpr (gathers_first(dims, lanes)) {
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
        for (int k = 0; k < each; ++k) mine[(i * each + k) * S::value_pitch] = part.v[k];
      }
    } else {
      const std::int64_t sample = launch_.points.order[p], first = std::int64_t{block_} * lanes;
      const T weight = launch_.weights ? launch_.weights[sample] : T(1);
      const auto* from =
          reinterpret_cast<const Complex<T>*>(launch_.samples) + first * launch_.sample_stride + sample;
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        Complex<T> value{};
        if (active && first + l < launch_.coils) value = from[l * launch_.sample_stride];
        mine[2 * l * S::value_pitch] = weight * value.re;
        mine[(2 * l + 1) * S::value_pitch] = weight * value.im;
      }
    }
  }

  __device__ Vector<T> load(const T* row, int first_point) const {
    return *reinterpret_cast<const Vector<T>*>(row + first_point);
  }

  __device__ void multiply(int count) {
    constexpr int own = M::per_thread, group = 4 * own;
    const int g = lane_ / 4, t = lane_ % 4;
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
      for (int j = 0; j < S::column_tiles; j += S::together) {
        typename M::Split b[S::together];
#pragma unroll
        for (int n = 0; n < S::together; ++n) {
          const int column = S::column(j + n, g / 2);
          const bool used = S::columns % 4 == 0 || column < S::columns;
          Vector<T> v = load(values_ + (used ? 2 * (column % lanes) + g % 2 : 0) * S::value_pitch, point);
          if (dims > 1) {
            const Vector<T> wx = load(weights_ + column / lanes * S::pitch, point);
#pragma unroll
            for (int k = 0; k < own; ++k) v.v[k] *= wx.v[k];
          }
          b[n] = M::split(v.v);
        }
#pragma unroll
        for (int term = 0; term < M::terms; ++term)
#pragma unroll
          for (int n = 0; n < S::together; ++n)
#pragma unroll
            for (int i = 0; i < S::row_tiles; ++i) M::multiply(term, sum_[i][j + n], a[i], b[n]);
      }
    }
    unkept_ += count;
    if (sizeof(T) == 4 && unkept_ >= 64) keep_sums();
    __syncwarp();
  }

  const SpreadLaunch<T>& launch_;
  const T* coefficients_;
  T* weights_;
  T* values_;
  T* kept_;
  uint2* list_;
  int lane_, block_, first_[3];
  int unkept_ = 0;
  bool has_kept_ = false;
  T sum_[S::row_tiles][S::column_tiles][M::sums];
};

}  // namespace larmor::nufft::cuda
