#include <larmor/operators/nufft/spread/cuda/points/radix_sort.cuh>
#include <larmor/operators/nufft/spread/cuda/points/sort_cells.cuh>
#include <larmor/operators/nufft/spread/cuda/tiles/sort.hpp>
#include <larmor/operators/nufft/spread/cuda/tiles/spread_tile.hpp>

namespace larmor::nufft::cuda {
namespace {

// Numbers of axes are constants: with others, compilers put the sort_grid into memory.
template <int dims>
__global__ void find_bins(const double* __restrict__ trajectory, const __grid_constant__ SortGrid sort_grid,
                          std::int64_t samples, std::uint32_t* __restrict__ bin_of,
                          std::int32_t* __restrict__ index, unsigned long long* not_finite) {
  const std::int64_t j = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (j >= samples) return;
  std::uint32_t bin = 0;
  bool finite = true;
#pragma unroll
  for (int a = dims - 1; a >= 0; --a) {
    const double k = trajectory[j * dims + a];
    finite = finite && isfinite(k);
    double fraction;
    bin = bin * sort_grid.bins[a] + first_cell(sort_grid, a, finite ? k : 0, fraction) / sort_grid.bin[a];
  }
  if (!finite) {
    // −1 is the largest unsigned number, so the minimum is the first such sample.
    atomicMin(not_finite, static_cast<unsigned long long>(j));
    bin = 0;
  }
  bin_of[j] = bin;
  index[j] = static_cast<std::int32_t>(j);
}

template <typename T, int dims>
__global__ void place_points(const double* __restrict__ trajectory,
                             const __grid_constant__ SortGrid sort_grid, std::int64_t samples,
                             const std::int32_t* __restrict__ sorted_index, std::int32_t* __restrict__ order,
                             std::uint32_t* __restrict__ cells, T* __restrict__ fractions) {
  const std::int64_t p = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (p >= samples) return;
  const std::int32_t j = sorted_index[p];
  order[p] = j;
  std::uint32_t packed = 0;
#pragma unroll
  for (int a = 0; a < dims; ++a) {
    double k = trajectory[std::int64_t{j} * dims + a], fraction;
    if (!isfinite(k)) k = 0;
    packed |= static_cast<std::uint32_t>(first_cell(sort_grid, a, k, fraction) % sort_grid.bin[a]) << (8 * a);
    fractions[a * samples + p] = static_cast<T>(fraction);
  }
  cells[p] = packed;
}

using BinSort = PairSort<std::uint32_t, std::int32_t>;

std::int64_t bins_of(const SortGrid& sort_grid) {
  return std::int64_t{sort_grid.bins[0]} * sort_grid.bins[1] * sort_grid.bins[2];
}

}  // namespace

void choose_bins(int dims, int lanes, std::int32_t bin[3]) {
  for (int a = 0; a < 3; ++a) bin[a] = tile_cells(dims, lanes, a);
}

std::size_t sort_scratch_bytes(std::int64_t samples, std::int64_t bins) {
  Pieces pieces(nullptr);
  BinSort(samples, bits_of(bins), pieces);
  return pieces.bytes();
}

namespace {

template <typename T, int dims>
void sort_points_of(const double* trajectory, const Points<T>& points, const SortedArrays<T>& arrays,
                    std::int64_t* not_finite, void* scratch, larmor::cuda::Stream stream) {
  using larmor::cuda::check;
  using larmor::cuda::check_launch;
  const SortGrid sort_grid = sort_grid_of(points);
  const std::int64_t samples = points.samples, bins = bins_of(sort_grid);
  check(cudaMemsetAsync(not_finite, 0xff, sizeof *not_finite, stream), "clearing a flag");
  if (samples == 0) {
    check(cudaMemsetAsync(arrays.bin_start, 0, static_cast<std::size_t>(bins + 1) * sizeof(std::int32_t),
                          stream),
          "clearing the table of bins");
    return;
  }
  Pieces pieces(scratch);
  const int bits = bits_of(bins);
  BinSort sorted(samples, bits, pieces);
  find_bins<dims><<<sort_blocks(samples), sort_threads, 0, stream>>>(
      trajectory, sort_grid, samples, sorted.keys(), sorted.values(),
      reinterpret_cast<unsigned long long*>(not_finite));
  check_launch("find_bins");
  sorted.sort(0, bits, stream);
  find_starts<<<sort_blocks(bins + 1), sort_threads, 0, stream>>>(sorted.keys(), 0, samples, bins,
                                                                  arrays.bin_start);
  check_launch("find_starts");
  place_points<T, dims><<<sort_blocks(samples), sort_threads, 0, stream>>>(
      trajectory, sort_grid, samples, sorted.values(), arrays.order, arrays.cell, arrays.fraction);
  check_launch("place_points");
}

}  // namespace

template <typename T>
void sort_points(const double* trajectory, const Points<T>& points, const SortedArrays<T>& arrays,
                 std::int64_t* not_finite, void* scratch, larmor::cuda::Stream stream) {
  const auto sort = points.dims == 1   ? sort_points_of<T, 1>
                    : points.dims == 2 ? sort_points_of<T, 2>
                                       : sort_points_of<T, 3>;
  sort(trajectory, points, arrays, not_finite, scratch, stream);
}

template void sort_points<float>(const double*, const Points<float>&, const SortedArrays<float>&,
                                 std::int64_t*, void*, larmor::cuda::Stream);
template void sort_points<double>(const double*, const Points<double>&, const SortedArrays<double>&,
                                  std::int64_t*, void*, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
