#include <larmor/core/cuda/device_attribute.cuh>
#include <larmor/operators/sparse_fft/cuda/column_kernels.cuh>

#include <cuda/atomic>

#include <algorithm>

namespace larmor::sparse_fft::cuda {
namespace {

// A row of N = near · far values in two steps. Columns c = c2 + far c1 and frequencies v = k1 + near k2,
//   F[k1 + near k2] = Σ_c2 e(c2 k2 / far) e(c2 k1 / N) Σ_c1 e(c1 k1 / near) f[c2 + far c1],
// e(x) = exp(−2πi x). The first step sums the entries of each column and then transforms along c1; the second
// one transforms along c2. One launch does both for all rows: blocks of threads take pieces of work from a
// queue, one step of a bundle of rows each, so that intermediate values stay in the second-level cache, and
// multiprocessors compute one step while they wait for memory in the other.
using C = Complex<float>;
constexpr int threads = 128, blocks_together = 5;  // on a multiprocessor
constexpr int values_of_piece = 4096;              // of a piece of work of either step

// A transform of `points` values as first · second.
constexpr int first_of(int points) {
  return points == 64 ? 8 : 16;
}

// v[k] *= e(k j / period), for roots[i] = e(i / SplitRows::roots_count)
template <int radix, int period>
__device__ __forceinline__ void twiddle(C (&v)[radix], const C* __restrict__ roots, int j) {
  multiply_powers<radix>(
      v, [&](int log2) { return loaded(roots + (j << log2) * (SplitRows::roots_count / period)); });
}

__device__ __forceinline__ C root_of_unity(int part, int whole) {
  float s, c;
  sincospif(-2 * (static_cast<float>(part) / static_cast<float>(whole)), &s, &c);
  return {c, s};
}

// Cosines and sines of (j + ½)θ from the first, by a tree: few roundings, and nothing else to load.
__device__ __forceinline__ void half_steps(C half, float (&cosines)[half_block], float (&sines)[half_block]) {
  const C one = half * half, two = one * one, four = two * two;
  C w[half_block];
  w[0] = half;
  w[1] = half * one;
  unrolled<2>([&](auto j) { w[2 + j] = w[j] * two; });
  unrolled<4>([&](auto j) { w[4 + j] = w[j] * four; });
  unrolled<half_block>([&](auto j) { cosines[j] = w[j].re, sines[j] = w[j].im; });
}

template <typename RowIndex>
struct SplitTask {
  ColumnSums<float> sums;
  const RowIndex* entry_rows;
  RowTask<float> rows;
  const C* roots;
  unsigned* state;  // queue, then pieces done of each bundle's first step, then of its second
  int bundles;
};

// For the first step: the rows of a bundle and the columns of one c2. Value c1 = second r + b of a row lies
// at r step + b: places of threads that work together are in different banks in every stage.
template <int near>
struct SumPiece {
  static constexpr int first = first_of(near), second = near / first;
  static constexpr int rows = values_of_piece / near, lanes = rows / block_rows;
  static constexpr int step = second + 1, shift = 16 / lanes;
  static constexpr int row_places = first * step + (second == 8 && first * step % 16 == 0 ? 8 : 0);
  static constexpr int places = rows * row_places + lanes * shift;
  static constexpr std::size_t bytes = (places + near) * sizeof(C);
  static_assert(near * lanes == 2 * threads);

  __device__ static int row_begin(int row) { return row * row_places + row / block_rows * shift; }
};

template <int near, int far, typename RowIndex>
__device__ __forceinline__ void sum_piece(const SplitTask<RowIndex>& task, C* values, int c2,
                                          std::int64_t first_row, C* signal) {
  using S = SumPiece<near>;
  const DeviceColumns<float>& columns = task.sums.columns;
  C* const last = values + S::places;  // e(c2 k1 / N)
  const int t = static_cast<int>(threadIdx.x);
  for (int k1 = t; k1 < near; k1 += threads) last[k1] = root_of_unity(c2 * k1, near * far);
  const int lane = t % S::lanes;
  const auto twice_centre =
      static_cast<double>(2 * (task.rows.first + first_row + lane * block_rows) + block_rows - 1);
  const auto period = static_cast<double>(2 * columns.rows);
  const double inverse_period = 1.0 / period;
  // Columns are sorted by their number of entries: every thread gets one with many and one with few.
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const int slot = t / S::lanes, mine = c2 * near + (pass == 0 ? slot : near - 1 - slot);
    const int c1 = static_cast<int>(columns.column[mine]) / far;
    BlockSums<float> sums;
    std::uint32_t e = columns.start[mine];
    const std::uint32_t end = columns.start[mine + 1];
    // The next entry is loaded while one is summed.
    std::int64_t next = 0;
    C next_half{};
    const auto fetch = [&] {
      next = __ldg(task.entry_rows + e);
      const float* steps = task.sums.steps + next * block_rows;
      next_half = {__ldg(steps), __ldg(steps + half_block)};
    };
    if (e < end) fetch();
    while (e < end) {
      C phase = phase_of<float>(twice_centre, static_cast<double>(next), period, inverse_period);
      const C half = next_half;
      if (columns.real_values)
        phase = phase * columns.real_values[e];
      else if (columns.complex_values)
        phase = phase * reinterpret_cast<const C*>(columns.complex_values)[e];
      if (++e < end) fetch();
      float cosines[half_block], sines[half_block];
      half_steps(half, cosines, sines);
      sums.add(phase.re, phase.im, cosines, sines);
    }
    C* const column = values + S::row_begin(lane * block_rows) + c1 / S::second * S::step + c1 % S::second;
    unrolled<block_rows>([&](auto k) { column[k * S::row_places] = C{sums.re(k), sums.im(k)}; });
  }
  __syncthreads();
#pragma unroll
  for (int i = t; i < S::rows * S::second; i += threads) {
    const int b = i % S::second;
    C* const at = values + S::row_begin(i / S::second) + b;
    C v[S::first];
    unrolled<S::first>([&](auto r) { v[r] = at[r * S::step]; });
    dft<S::first>(v);
    twiddle<S::first, near>(v, task.roots, b);
    unrolled<S::first>([&](auto q) { at[q * S::step] = v[q]; });
  }
  __syncthreads();
#pragma unroll
  for (int i = t; i < S::rows * S::first; i += threads) {
    const int q = i % S::first, row = i / S::first;
    const C* const at = values + S::row_begin(row) + q * S::step;
    C v[S::second];
    unrolled<S::second>([&](auto b) { v[b] = at[b]; });
    dft<S::second>(v);
    C* const out = signal + row * (near * far) + c2 * near + q;
    unrolled<S::second>([&](auto m) { out[S::first * m] = v[m] * last[q + S::first * m]; });
  }
}

// For the second step: `lanes` neighbouring k1 of a row; all k1 if a summary is requested.
template <int near, int far>
struct FinishPiece {
  static constexpr int lanes = values_of_piece / far, parts = near / lanes;
  static constexpr int first = first_of(far), second = far / first;
};

enum class Finish { half, any, summary };

template <int near, int far, Finish kind>
__device__ __forceinline__ void finish_part(const RowTarget<float, kind == Finish::summary>& target,
                                            const C* __restrict__ roots, C* values, int k0, const C* row,
                                            RowSummary& summary) {
  using S = FinishPiece<near, far>;
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = t; i < S::lanes * S::second; i += threads) {
    const int lane = i % S::lanes, b = i / S::lanes;
    const auto* const at = reinterpret_cast<const float2*>(row + b * near + k0 + lane);
    C v[S::first];
    // Written by other multiprocessors: the first-level cache may hold old values.
    unrolled<S::first>([&](auto r) {
      const float2 value = __ldcg(at + r * S::second * near);
      v[r] = {value.x, value.y};
    });
    dft<S::first>(v);
    twiddle<S::first, far>(v, roots, b);
    unrolled<S::first>([&](auto q) { values[(q * S::second + b) * S::lanes + lane] = v[q]; });
  }
  __syncthreads();
#pragma unroll
  for (int i = t; i < S::lanes * S::first; i += threads) {
    const int lane = i % S::lanes, q = i / S::lanes;
    C v[S::second];
    unrolled<S::second>([&](auto b) { v[b] = values[(q * S::second + b) * S::lanes + lane]; });
    dft<S::second>(v);
    const int lowest = k0 + lane + near * q;  // frequency of v[0]; the others are near · first apart
    if constexpr (kind != Finish::half) {
      unrolled<S::second>([&](auto m) { target.take(lowest + near * S::first * m, v[m], summary); });
    } else {
      // The lower half of the frequencies is stored directly, the upper one as those of the opposite row.
      constexpr int half = near * far / 2;
      if (target.direct) {
        C* const out = target.direct + lowest;
        unrolled<S::second / 2>([&](auto m) { out[near * S::first * m] = v[m]; });
        if (lowest == 0) target.direct[half] = v[S::second / 2];
      }
      if (target.mirrored) {
        C* const out = target.mirrored - lowest - half;
        unrolled<S::second / 2>([&](auto m) { out[-near * S::first * m] = conjugate(v[S::second / 2 + m]); });
        if (lowest == 0) *target.mirrored_origin = conjugate(v[0]);
      }
    }
  }
}

using Counter = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

// Pieces are taken in the order S₀ S₁ S₂ F₀ S₃ F₁ … of bundles' first and second steps. A piece waits only
// for earlier ones, which running blocks have taken: F_b for all of S_b, and S_b for F of the bundle whose
// memory it reuses.
constexpr int ahead = 5, bundles_held = 8;

template <int near, int far, Finish kind, typename RowIndex>
__global__ void __launch_bounds__(threads, blocks_together)
    split_kernel(const __grid_constant__ SplitTask<RowIndex> task) {
  using Sum = SumPiece<near>;
  using Last = FinishPiece<near, far>;
  constexpr int sum_pieces = far;
  constexpr int finish_pieces = Sum::rows * (kind == Finish::summary ? 1 : Last::parts);
  constexpr int both = sum_pieces + finish_pieces;
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ int taken;
  C* const values = reinterpret_cast<C*>(memory);
  unsigned* const summed = task.state + 1;
  unsigned* const finished = summed + task.bundles;
  const int total = task.bundles * both, lead = min(ahead, task.bundles);
  unsigned* done = nullptr;  // by the previous piece
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) {
      if (done) Counter(*done).fetch_add(1, ::cuda::memory_order_release);
      taken = static_cast<int>(Counter(*task.state).fetch_add(1, ::cuda::memory_order_relaxed));
    }
    __syncthreads();
    const int piece = taken;
    if (piece >= total) return;
    // Sums of the first bundles, then sums and finishes in turn, at the end finishes alone.
    bool sums = piece < lead * sum_pieces;
    int bundle = piece / sum_pieces, within = piece % sum_pieces;
    if (!sums) {
      const int later = piece - lead * sum_pieces, mixed = (task.bundles - lead) * both;
      if (later < mixed) {
        bundle = later / both, within = later % both;
        sums = within < sum_pieces;
        if (sums)
          bundle += lead;
        else
          within -= sum_pieces;
      } else {
        bundle = task.bundles - lead + (later - mixed) / finish_pieces,
        within = (later - mixed) % finish_pieces;
      }
    }
    const std::int64_t first_row = std::int64_t{bundle} * Sum::rows;
    C* const signal =
        reinterpret_cast<C*>(task.sums.signal) + bundle % bundles_held * (Sum::rows * near * far);
    const auto wait = [&](unsigned* counter, unsigned count) {
      if (threadIdx.x == 0)
        while (Counter(*counter).load(::cuda::memory_order_acquire) < count) __nanosleep(100);
      __syncthreads();
    };
    if (sums) {
      if (bundle >= bundles_held) wait(finished + bundle - bundles_held, finish_pieces);
      sum_piece<near, far>(task, values, within, first_row, signal);
      done = summed + bundle;
    } else {
      wait(summed + bundle, sum_pieces);
      const int parts = finish_pieces / Sum::rows, row = within / parts;
      done = finished + bundle;
      if (first_row + row >= task.rows.count) continue;
      const std::int64_t u = task.rows.first + first_row + row;
      const RowTarget<float, kind == Finish::summary> target(task.rows, u);
      RowSummary summary;
      const C* const from = signal + row * (near * far);
      if constexpr (kind == Finish::summary) {
        for (int k0 = 0; k0 < near; k0 += Last::lanes) {
          finish_part<near, far, kind>(target, task.roots, values, k0, from, summary);
          __syncthreads();
        }
        finish(task.rows, u, summary);
      } else {
        finish_part<near, far, kind>(target, task.roots, values, within % parts * Last::lanes, from, summary);
      }
    }
  }
}

template <int near, int far, Finish kind, typename RowIndex>
void launch(const SplitTask<RowIndex>& task, Stream stream) {
  const auto kernel = split_kernel<near, far, kind, RowIndex>;
  constexpr std::size_t bytes = SumPiece<near>::bytes;
  larmor::cuda::allow_shared_bytes(kernel, bytes);
  larmor::cuda::check(
      cudaMemsetAsync(task.state, 0, sizeof(unsigned) * static_cast<std::size_t>(1 + 2 * task.bundles),
                      stream),
      "clearing counters");
  const int multiprocessors = larmor::cuda::device_attribute(cudaDevAttrMultiProcessorCount);
  kernel<<<static_cast<unsigned>(blocks_together * multiprocessors), threads, bytes, stream>>>(task);
  larmor::cuda::check_launch("split_kernel");
}

int bundle_rows(std::int64_t columns) {
  return columns == 128 * 128 ? SumPiece<128>::rows : SumPiece<256>::rows;
}

template <typename RowIndex>
void transform(const SplitRows& given, const RowIndex* entry_rows, Stream stream) {
  SplitTask<RowIndex> task{given.sums,  entry_rows, given.rows, reinterpret_cast<const C*>(given.roots),
                           given.state, 0};
  const int rows = bundle_rows(given.rows.where.columns);
  task.bundles = static_cast<int>((given.rows.count + rows - 1) / rows);
  const auto run = [&]<int near, int far>() {
    if (given.rows.summaries) return launch<near, far, Finish::summary>(task, stream);
    if (given.rows.where.width == near * far / 2 + 1) return launch<near, far, Finish::half>(task, stream);
    launch<near, far, Finish::any>(task, stream);
  };
  switch (given.rows.where.columns) {
    case 128 * 128:
      return run.template operator()<128, 128>();
    case 256 * 128:
      return run.template operator()<256, 128>();
    default:
      return run.template operator()<256, 256>();
  }
}

}  // namespace

int SplitRows::far_columns(std::int64_t columns) {
  return columns == 128 * 128 || columns == 256 * 128 ? 128 : columns == 256 * 256 ? 256 : 0;
}
std::int64_t SplitRows::signal_rows(std::int64_t columns) {
  return bundles_held * bundle_rows(columns);
}
std::int64_t SplitRows::counters(std::int64_t columns, std::int64_t count) {
  return 1 + 2 * ((count + bundle_rows(columns) - 1) / bundle_rows(columns));
}

void transform_split_rows(const SplitRows& task, Stream stream) {
  if (task.rows.count == 0) return;
  if (task.sums.columns.narrow_rows)
    transform(task, task.sums.columns.narrow_rows, stream);
  else
    transform(task, task.sums.columns.wide_rows, stream);
}

}  // namespace larmor::sparse_fft::cuda
