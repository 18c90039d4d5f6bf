#include <larmor/operators/nufft/spread/cuda/line/moments.hpp>
#include <larmor/operators/nufft/spread/cuda/points/radix_sort.cuh>
#include <larmor/operators/nufft/spread/cuda/points/sort_cells.cuh>

#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

__global__ void find_cells(const double* __restrict__ coordinates, const __grid_constant__ SortGrid sort_grid,
                           std::int64_t samples, std::int64_t run_samples,
                           std::uint32_t* __restrict__ cell_of, std::int32_t* __restrict__ index,
                           unsigned long long* not_finite) {
  const std::int64_t j = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (j >= samples) return;
  double k = coordinates[j], fraction;
  if (!isfinite(k)) {
    // −1 is the largest unsigned number, so the minimum is the first such sample.
    atomicMin(not_finite, static_cast<unsigned long long>(j));
    k = 0;
  }
  cell_of[j] = static_cast<std::uint32_t>(j / run_samples) * sort_grid.cells[0] +
               first_cell(sort_grid, 0, k, fraction);
  index[j] = static_cast<std::int32_t>(j);
}

template <typename T>
__global__ void place(const double* __restrict__ coordinates, const __grid_constant__ SortGrid sort_grid,
                      std::int64_t samples, const std::uint32_t* __restrict__ sorted_cell,
                      const std::int32_t* __restrict__ sorted_index, std::uint32_t* __restrict__ order,
                      T* __restrict__ offset) {
  const std::int64_t p = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (p >= samples) return;
  const std::int32_t j = sorted_index[p];
  const bool first = p == 0 || sorted_cell[p - 1] != sorted_cell[p];
  order[p] = static_cast<std::uint32_t>(j) | (first ? MomentPoints<T>::first_of_cell : 0);
  double k = coordinates[j], fraction;
  if (!isfinite(k)) k = 0;
  first_cell(sort_grid, 0, k, fraction);
  offset[p] = static_cast<T>(2 * fraction - 1);
}

// Which cells have points.
template <typename T>
__global__ void mark_cells(const std::uint32_t* __restrict__ order,
                           const std::uint32_t* __restrict__ sorted_cell, std::int64_t samples,
                           std::int32_t* __restrict__ slot) {
  const std::int64_t p = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (p < samples && order[p] & MomentPoints<T>::first_of_cell) slot[sorted_cell[p]] = 1;
}

__global__ void number_cells(const std::int32_t* __restrict__ before, std::int64_t cells,
                             std::int32_t* __restrict__ slot) {
  const std::int64_t c = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (c < cells) slot[c] = slot[c] != 0 ? before[c] : -1;
}

__global__ void find_slots(const std::uint32_t* __restrict__ sorted_cell,
                           const std::int32_t* __restrict__ slot, std::int64_t ranges, int range,
                           std::int32_t* __restrict__ slot_of_range) {
  const std::int64_t r = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (r < ranges) slot_of_range[r] = slot[sorted_cell[r * range]];
}

template <typename T>
std::int64_t all_cells(const MomentPoints<T>& points) {
  return std::int64_t{points.runs} * points.cells;
}

using CellSort = PairSort<std::uint32_t, std::int32_t>;

template <typename T>
struct Tables {
  std::uint32_t* order;
  T* offset;
  std::int32_t *slot, *slot_of_range;
};
template <typename T>
Tables<T> lay_out_tables(const MomentPoints<T>& points, Pieces& pieces) {
  Tables<T> t;
  t.order = pieces.take<std::uint32_t>(points.samples);
  t.offset = pieces.take<T>(points.samples);
  t.slot = pieces.take<std::int32_t>(all_cells(points));
  t.slot_of_range = pieces.take<std::int32_t>(points.ranges);
  return t;
}

// Beside the sort's.
struct ScanScratch {
  std::int32_t* before;
  char* work;
  std::size_t work_bytes;
};
template <typename T>
ScanScratch lay_out_scan(const MomentPoints<T>& points, Pieces& pieces) {
  ScanScratch s{};
  s.before = pieces.take<std::int32_t>(all_cells(points));
  larmor::cuda::check(
      cub::DeviceScan::ExclusiveSum(nullptr, s.work_bytes, s.before, s.before, all_cells(points)),
      "planning to number cells");
  s.work = pieces.take<char>(static_cast<std::int64_t>(s.work_bytes));
  return s;
}

}  // namespace

template <typename T>
MomentPoints<T> moment_sizes(const Points<T>& points) {
  MomentPoints<T> sizes{};
  sizes.set_sizes(points);
  sizes.kept = std::max(6, (points.degree + 2) / 2 * 2);
  // A part of the second-level cache, as several runs are in work at a time. Cells of a run should still have
  // many points: each costs a sum over a warp.
  constexpr std::int64_t points_of_a_cell = 32, run = (16 << 20) / sizeof(std::complex<T>);
  sizes.split(run, sizes.samples / (points_of_a_cell * sizes.cells));
  // Few points: short ranges, so that all multiprocessors have work.
  sizes.range = 128;
  while (sizes.range < 512 && sizes.samples / sizes.range > 1 << 14) sizes.range *= 2;
  sizes.ranges = (sizes.samples + sizes.range - 1) / sizes.range;
  return sizes;
}

template <typename T>
std::size_t moment_table_bytes(const MomentPoints<T>& sizes) {
  Pieces pieces(nullptr);
  lay_out_tables(sizes, pieces);
  return pieces.bytes();
}

template <typename T>
std::size_t moment_sort_bytes(const MomentPoints<T>& sizes) {
  Pieces pieces(nullptr);
  CellSort(sizes.samples, bits_of(all_cells(sizes)), pieces);
  lay_out_scan(sizes, pieces);
  return pieces.bytes();
}

template <typename T>
MomentPoints<T> sort_for_moments(const MomentPoints<T>& sizes, const double* coordinates, void* tables,
                                 std::int64_t* not_finite, void* scratch, larmor::cuda::Stream stream) {
  using larmor::cuda::check;
  using larmor::cuda::check_launch;
  Pieces table_pieces(tables), scratch_pieces(scratch);
  const Tables<T> t = lay_out_tables(sizes, table_pieces);
  const int bits = bits_of(all_cells(sizes));
  CellSort sorted(sizes.samples, bits, scratch_pieces);
  ScanScratch s = lay_out_scan(sizes, scratch_pieces);
  MomentPoints<T> points = sizes;
  points.order = t.order;
  points.offset = t.offset;
  points.slot = t.slot;
  points.slot_of_range = t.slot_of_range;
  const std::int64_t samples = points.samples, cells = all_cells(points);
  const SortGrid sort_grid = sort_grid_of(points);
  check(cudaMemsetAsync(not_finite, 0xff, sizeof *not_finite, stream), "clearing a flag");
  find_cells<<<sort_blocks(samples), sort_threads, 0, stream>>>(
      coordinates, sort_grid, samples, points.run_samples, sorted.keys(), sorted.values(),
      reinterpret_cast<unsigned long long*>(not_finite));
  check_launch("find_cells");
  sorted.sort(0, bits, stream);
  place<T><<<sort_blocks(samples), sort_threads, 0, stream>>>(coordinates, sort_grid, samples, sorted.keys(),
                                                              sorted.values(), t.order, t.offset);
  check_launch("place");
  check(cudaMemsetAsync(t.slot, 0, static_cast<std::size_t>(cells) * sizeof *t.slot, stream),
        "clearing the table of cells");
  mark_cells<T><<<sort_blocks(samples), sort_threads, 0, stream>>>(t.order, sorted.keys(), samples, t.slot);
  check_launch("mark_cells");
  check(cub::DeviceScan::ExclusiveSum(s.work, s.work_bytes, t.slot, s.before, cells, stream),
        "numbering cells");
  number_cells<<<sort_blocks(cells), sort_threads, 0, stream>>>(s.before, cells, t.slot);
  check_launch("number_cells");
  find_slots<<<sort_blocks(points.ranges), sort_threads, 0, stream>>>(sorted.keys(), t.slot, points.ranges,
                                                                      points.range, t.slot_of_range);
  check_launch("find_slots");
  return points;
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template MomentPoints<T> moment_sizes(const Points<T>&);                                               \
  template std::size_t moment_table_bytes(const MomentPoints<T>&);                                       \
  template std::size_t moment_sort_bytes(const MomentPoints<T>&);                                        \
  template MomentPoints<T> sort_for_moments(const MomentPoints<T>&, const double*, void*, std::int64_t*, \
                                            void*, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
