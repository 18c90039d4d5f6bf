#include <larmor/core/cuda/launch_early.cuh>
#include <larmor/operators/nufft/spread/cuda/points/radix_sort.cuh>
#include <larmor/operators/nufft/spread/cuda/points/sort_cells.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/sort.hpp>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_tile.hpp>

namespace larmor::nufft::cuda {
namespace {

// The number of axes is a template parameter: otherwise the compiler would put sort_grid into local memory.
template <int dims>
__device__ std::uint32_t bin_of_point(const double* __restrict__ trajectory, const SortGrid& sort_grid,
                                      std::int64_t j, bool& finite) {
  std::uint32_t bin = 0;
  finite = true;
#pragma unroll
  for (int a = dims - 1; a >= 0; --a) {
    const double k = trajectory[j * dims + a];
    finite = finite && isfinite(k);
    double fraction;
    bin = bin * sort_grid.bins[a] + first_cell(sort_grid, a, finite ? k : 0, fraction) / sort_grid.bin[a];
  }
  return finite ? bin : 0;
}

// Writes point j, the p-th in the order of bins.
template <typename T, int dims>
__device__ void place_point(const double* __restrict__ trajectory, const SortGrid& sort_grid,
                            std::int64_t samples, std::int64_t j, std::int64_t p,
                            const SortedArrays<T>& arrays) {
  arrays.order[p] = static_cast<std::int32_t>(j);
  std::uint32_t packed = 0;
#pragma unroll
  for (int a = 0; a < dims; ++a) {
    double k = trajectory[j * dims + a], fraction;
    if (!isfinite(k)) k = 0;
    packed |= static_cast<std::uint32_t>(first_cell(sort_grid, a, k, fraction) % sort_grid.bin[a]) << (8 * a);
    arrays.fraction[a * samples + p] = static_cast<T>(fraction);
  }
  arrays.cell[p] = packed;
}

template <int dims>
__global__ void find_bins(const double* __restrict__ trajectory, const __grid_constant__ SortGrid sort_grid,
                          std::int64_t samples, std::uint32_t* __restrict__ bin_of,
                          std::int32_t* __restrict__ index, unsigned long long* not_finite) {
  const std::int64_t j = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (j >= samples) return;
  bool finite;
  bin_of[j] = bin_of_point<dims>(trajectory, sort_grid, j, finite);
  // −1 is the largest unsigned number, so the minimum is the first such sample.
  if (!finite) atomicMin(not_finite, static_cast<unsigned long long>(j));
  index[j] = static_cast<std::int32_t>(j);
}

template <typename T, int dims>
__global__ void place_points(const double* __restrict__ trajectory,
                             const __grid_constant__ SortGrid sort_grid, std::int64_t samples,
                             const std::int32_t* __restrict__ sorted_index,
                             const std::int64_t* __restrict__ found, double* __restrict__ not_finite,
                             const SortedArrays<T> arrays) {
  const std::int64_t p = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (p < samples) place_point<T, dims>(trajectory, sort_grid, samples, sorted_index[p], p, arrays);
  if (p == 0) *not_finite = static_cast<double>(*found);
}

using BinSort = PairSort<std::uint32_t, std::int32_t>;

std::int64_t bins_of(const SortGrid& sort_grid) {
  return std::int64_t{sort_grid.bins[0]} * sort_grid.bins[1] * sort_grid.bins[2];
}

// Small numbers of points are counted by tiles of points: three short kernels instead of eight.
constexpr int tile_points = 1024, warp = 32, tile_warps = tile_points / warp;

bool are_few(std::int64_t samples, std::int64_t bins) {
  constexpr std::int64_t most_tiles = 64, most_bins = 4096;
  return samples > 0 && samples <= most_tiles * tile_points && bins <= most_bins;
}

struct FewPoints {
  FewPoints(std::int64_t samples, std::int64_t bins, Pieces& pieces)
      : tiles(static_cast<int>((samples + tile_points - 1) / tile_points)),
        bin_of(pieces.take<std::uint32_t>(samples)),
        counts(pieces.take<std::int32_t>(tiles * bins)),
        not_finite(pieces.take<std::int32_t>(tiles)) {}
  int tiles;
  std::uint32_t* bin_of;  // [samples]
  // [tiles][bins]: number of a tile's points in a bin, then the place of the first of them.
  std::int32_t* counts;
  std::int32_t* not_finite;  // [tiles]: the first point that is not finite, or the number of all points
};

template <int dims>
__global__ void __launch_bounds__(tile_points)
    count_in_bins(const double* __restrict__ trajectory, const __grid_constant__ SortGrid sort_grid,
                  int samples, int bins, const FewPoints few) {
  extern __shared__ std::int32_t count[];
  __shared__ std::int32_t first;
  larmor::cuda::wait_for_earlier_kernels();
  for (int b = threadIdx.x; b < bins; b += tile_points) count[b] = 0;
  if (threadIdx.x == 0) first = samples;
  __syncthreads();
  const int j = blockIdx.x * tile_points + threadIdx.x;
  if (j < samples) {
    bool finite;
    const std::uint32_t bin = bin_of_point<dims>(trajectory, sort_grid, j, finite);
    few.bin_of[j] = bin;
    atomicAdd(&count[bin], 1);
    if (!finite) atomicMin(&first, j);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += tile_points)
    few.counts[std::int64_t{blockIdx.x} * bins + b] = count[b];
  if (threadIdx.x == 0) few.not_finite[blockIdx.x] = first;
}

// One thread block; each thread takes the same number of neighbouring bins.
__global__ void __launch_bounds__(tile_points)
    start_bins(int samples, int bins, const FewPoints few, std::int32_t* __restrict__ bin_start,
               double* __restrict__ not_finite) {
  __shared__ std::int32_t sum_of_warp[tile_warps];
  larmor::cuda::wait_for_earlier_kernels();
  const int lane = threadIdx.x % warp, each = (bins + tile_points - 1) / tile_points;
  const int begin = min(bins, static_cast<int>(threadIdx.x) * each), end = min(bins, begin + each);
  std::int32_t own = 0;
  for (int b = begin; b < end; ++b)
#pragma unroll 8
    for (int tile = 0; tile < few.tiles; ++tile) own += few.counts[std::int64_t{tile} * bins + b];
  // Prefix sums over the threads.
  const auto up_to = [&](std::int32_t value) {
    for (int step = 1; step < warp; step *= 2) {
      const std::int32_t below = __shfl_up_sync(~0u, value, step);
      if (lane >= step) value += below;
    }
    return value;
  };
  const std::int32_t in_warp = up_to(own);
  if (lane == warp - 1) sum_of_warp[threadIdx.x / warp] = in_warp;
  __syncthreads();
  if (threadIdx.x < warp) sum_of_warp[lane] = up_to(sum_of_warp[lane]) - sum_of_warp[lane];
  __syncthreads();
  std::int32_t at = sum_of_warp[threadIdx.x / warp] + in_warp - own;
  for (int b = begin; b < end; ++b) {
    bin_start[b] = at;
#pragma unroll 8
    for (int tile = 0; tile < few.tiles; ++tile) {
      std::int32_t& count = few.counts[std::int64_t{tile} * bins + b];
      const std::int32_t points = count;
      count = at;
      at += points;
    }
  }
  if (threadIdx.x > 0) return;
  bin_start[bins] = samples;
  std::int32_t first = samples;
  for (int tile = 0; tile < few.tiles; ++tile) first = min(first, few.not_finite[tile]);
  *not_finite = first < samples ? first : -1;
}

// The warps of a tile place their points in turn, so that the order is kept.
template <typename T, int dims>
__global__ void __launch_bounds__(tile_points)
    place_in_bins(const double* __restrict__ trajectory, const __grid_constant__ SortGrid sort_grid,
                  int samples, int bins, const FewPoints few, const SortedArrays<T> arrays) {
  extern __shared__ std::int32_t next[];
  larmor::cuda::wait_for_earlier_kernels();
  for (int b = threadIdx.x; b < bins; b += tile_points)
    next[b] = few.counts[std::int64_t{blockIdx.x} * bins + b];
  const int j = blockIdx.x * tile_points + threadIdx.x, lane = threadIdx.x % warp;
  const std::uint32_t bin = j < samples ? few.bin_of[j] : ~0u;
  const unsigned present = __ballot_sync(~0u, j < samples), same = __match_any_sync(~0u, bin);
  const int before = __popc(same & ((1u << lane) - 1));
  std::int32_t place = 0;
  for (int w = 0; w < tile_warps; ++w) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) / warp != w || j >= samples) continue;
    place = next[bin] + before;
    __syncwarp(present);
    if (before == 0) next[bin] += __popc(same);
  }
  if (j < samples) place_point<T, dims>(trajectory, sort_grid, samples, j, place, arrays);
}

template <typename T, int dims>
void sort_few_points(const double* trajectory, const SortGrid& sort_grid, std::int64_t samples,
                     std::int64_t all_bins, const SortedArrays<T>& arrays, double* not_finite, void* scratch,
                     larmor::cuda::Stream stream) {
  using larmor::cuda::check_launch;
  using larmor::cuda::launch_early;
  Pieces pieces(scratch);
  const FewPoints few(samples, all_bins, pieces);
  const int count = static_cast<int>(samples), bins = static_cast<int>(all_bins);
  const std::size_t bytes = static_cast<std::size_t>(bins) * sizeof(std::int32_t);
  check_launch("count_in_bins", launch_early(count_in_bins<dims>, few.tiles, tile_points, bytes, stream,
                                             trajectory, sort_grid, count, bins, few));
  check_launch("start_bins", launch_early(start_bins, 1, tile_points, 0, stream, count, bins, few,
                                          arrays.bin_start, not_finite));
  check_launch("place_in_bins", launch_early(place_in_bins<T, dims>, few.tiles, tile_points, bytes, stream,
                                             trajectory, sort_grid, count, bins, few, arrays));
}

}  // namespace

void choose_bins(int dims, int lanes, std::int32_t bin[3]) {
  for (int a = 0; a < 3; ++a) bin[a] = tile_cells(dims, lanes, a);
}

std::size_t sort_scratch_bytes(std::int64_t samples, std::int64_t bins) {
  Pieces pieces(nullptr);
  if (are_few(samples, bins)) {
    FewPoints(samples, bins, pieces);
  } else {
    pieces.take<std::int64_t>(1);
    BinSort(samples, bits_of(bins), pieces);
  }
  return pieces.bytes();
}

namespace {

template <typename T, int dims>
void sort_points_of(const double* trajectory, const Points<T>& points, const SortedArrays<T>& arrays,
                    double* not_finite, void* scratch, larmor::cuda::Stream stream) {
  using larmor::cuda::check;
  using larmor::cuda::check_launch;
  const SortGrid sort_grid = sort_grid_of(points);
  const std::int64_t samples = points.samples, bins = bins_of(sort_grid);
  if (are_few(samples, bins))
    return sort_few_points<T, dims>(trajectory, sort_grid, samples, bins, arrays, not_finite, scratch,
                                    stream);
  if (samples == 0) {
    check(cudaMemsetAsync(arrays.bin_start, 0, static_cast<std::size_t>(bins + 1) * sizeof(std::int32_t),
                          stream),
          "clearing the table of bins");
    return;
  }
  Pieces pieces(scratch);
  const int bits = bits_of(bins);
  auto* const found = pieces.take<std::int64_t>(1);
  BinSort sorted(samples, bits, pieces);
  check(cudaMemsetAsync(found, 0xff, sizeof *found, stream), "clearing a flag");
  find_bins<dims><<<sort_blocks(samples), sort_threads, 0, stream>>>(
      trajectory, sort_grid, samples, sorted.keys(), sorted.values(),
      reinterpret_cast<unsigned long long*>(found));
  check_launch("find_bins");
  sorted.sort(0, bits, stream);
  find_starts<<<sort_blocks(bins + 1), sort_threads, 0, stream>>>(sorted.keys(), 0, samples, bins,
                                                                  arrays.bin_start);
  check_launch("find_starts");
  place_points<T, dims><<<sort_blocks(samples), sort_threads, 0, stream>>>(
      trajectory, sort_grid, samples, sorted.values(), found, not_finite, arrays);
  check_launch("place_points");
}

}  // namespace

template <typename T>
void sort_points(const double* trajectory, const Points<T>& points, const SortedArrays<T>& arrays,
                 double* not_finite, void* scratch, larmor::cuda::Stream stream) {
  const auto sort = points.dims == 1   ? sort_points_of<T, 1>
                    : points.dims == 2 ? sort_points_of<T, 2>
                                       : sort_points_of<T, 3>;
  sort(trajectory, points, arrays, not_finite, scratch, stream);
}

template void sort_points<float>(const double*, const Points<float>&, const SortedArrays<float>&, double*,
                                 void*, larmor::cuda::Stream);
template void sort_points<double>(const double*, const Points<double>&, const SortedArrays<double>&, double*,
                                  void*, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
