#include <larmor/operators/nufft/spread/cuda/line/moments.hpp>
#include <larmor/operators/nufft/spread/cuda/points/radix_sort.cuh>

#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

// Marks the cells that have points and finds their start in the order.
template <typename T>
__global__ void mark_cells(const __grid_constant__ MomentPoints<T> points, std::int32_t* __restrict__ slot) {
  const std::int64_t c = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (c >= points.all_cells()) return;
  const std::int32_t begin = points.start[c];
  const bool filled = begin < points.start[c + 1];
  slot[c] = filled;
  if (filled) points.order[begin] |= MomentPoints<T>::first_of_cell;
}

template <typename T>
__global__ void find_slots(const __grid_constant__ MomentPoints<T> points,
                           std::int32_t* __restrict__ slot_of_range) {
  const std::int64_t r = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (r >= points.ranges) return;
  // The last cell that starts at or before the range's first point.
  std::int64_t cell = 0, end = points.all_cells();
  while (end - cell > 1) {
    const std::int64_t middle = (cell + end) / 2;
    (points.start[middle] <= r * points.range ? cell : end) = middle;
  }
  slot_of_range[r] = points.slot[cell];
}

struct Tables {
  char* of_cells;
  std::int32_t *slot, *slot_of_range;

  template <typename T>
  Tables(const MomentPoints<T>& points, Pieces& pieces)
      : of_cells(pieces.take<char>(static_cast<std::int64_t>(cell_table_bytes<T>(points)))),
        slot(pieces.take<std::int32_t>(points.all_cells())),
        slot_of_range(pieces.take<std::int32_t>(points.ranges)) {}
};

template <typename T>
std::size_t scan_bytes(const MomentPoints<T>& points) {
  std::size_t bytes = 0;
  std::int32_t* none = nullptr;
  larmor::cuda::check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, points.all_cells()),
                      "planning to number cells");
  return bytes;
}

}  // namespace

template <typename T>
MomentPoints<T> moment_sizes(const Points<T>& points) {
  MomentPoints<T> sizes{};
  sizes.set_sizes(points);
  sizes.kept = std::max(6, (points.degree + 2) / 2 * 2);
  // A fraction of the L2 cache, because several runs are processed at a time. The cells of a run should still
  // have many points, because each cell costs a sum over a warp.
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
  Tables(sizes, pieces);
  return pieces.bytes();
}

template <typename T>
std::size_t moment_sort_bytes(const MomentPoints<T>& sizes) {
  return std::max(scan_bytes(sizes), cell_sort_bytes<T>(sizes));
}

template <typename T>
void sort_for_moments(MomentPoints<T>& points, const double* coordinates, void* tables, CellReport* report,
                      void* scratch, larmor::cuda::Stream stream) {
  using larmor::cuda::check_launch;
  Pieces pieces(tables);
  const Tables t(points, pieces);
  sort_by_cell<T>(points, coordinates, t.of_cells, report, scratch, stream);
  points.slot = t.slot;
  points.slot_of_range = t.slot_of_range;
  const std::int64_t cells = points.all_cells();
  mark_cells<T><<<sort_blocks(cells), sort_threads, 0, stream>>>(points, t.slot);
  check_launch("mark_cells");
  std::size_t bytes = scan_bytes(points);
  larmor::cuda::check(cub::DeviceScan::ExclusiveSum(scratch, bytes, t.slot, t.slot, cells, stream),
                      "numbering cells");
  find_slots<T><<<sort_blocks(points.ranges), sort_threads, 0, stream>>>(points, t.slot_of_range);
  check_launch("find_slots");
}

#define LARMOR_INSTANTIATE(T)                                                                \
  template MomentPoints<T> moment_sizes(const Points<T>&);                                   \
  template std::size_t moment_table_bytes(const MomentPoints<T>&);                           \
  template std::size_t moment_sort_bytes(const MomentPoints<T>&);                            \
  template void sort_for_moments(MomentPoints<T>&, const double*, void*, CellReport*, void*, \
                                 larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
