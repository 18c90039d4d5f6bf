#include <larmor/operators/nufft/cuda/groups.hpp>
#include <larmor/operators/nufft/cuda/line_sort.cuh>

namespace larmor::nufft::cuda {
namespace {

// start[g] of the groups that hold points; the others stay as they are.
template <typename T>
__global__ void place_in_groups(const double* __restrict__ coordinates,
                                const __grid_constant__ Lattice lattice, std::int64_t samples,
                                const std::uint32_t* __restrict__ sorted_key,
                                const std::int32_t* __restrict__ sorted_index,
                                std::uint32_t* __restrict__ order, T* __restrict__ offset,
                                std::int32_t* __restrict__ start) {
  const std::int64_t p = std::int64_t{blockIdx.x} * line_threads + threadIdx.x;
  if (p >= samples) return;
  const std::int32_t j = sorted_index[p];
  const std::uint32_t key = sorted_key[p];
  if (p == 0 || sorted_key[p - 1] != key) start[key] = static_cast<std::int32_t>(p);
  double k = coordinates[j], fraction;
  if (!isfinite(k)) k = 0;
  const auto cell = static_cast<std::uint32_t>(first_cell(lattice, 0, k, fraction));
  order[p] = static_cast<std::uint32_t>(j) | cell << GroupPoints<T>::index_bits;
  offset[p] = static_cast<T>(2 * fraction - 1);
}

// Groups without points start where the next ones do.
__global__ void find_empty_starts(const std::uint32_t* __restrict__ sorted_key, std::int64_t samples,
                                  std::int64_t keys, std::int32_t* __restrict__ start) {
  const std::int64_t g = std::int64_t{blockIdx.x} * line_threads + threadIdx.x;
  if (g > keys || start[g] >= 0) return;
  std::int64_t low = 0, high = samples;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (sorted_key[middle] < g)
      low = middle + 1;
    else
      high = middle;
  }
  start[g] = static_cast<std::int32_t>(low);
}

template <typename T>
__global__ void find_crowd(const __grid_constant__ GroupPoints<T> points, unsigned long long* crowd) {
  const std::int64_t t = std::int64_t{blockIdx.x} * line_threads + threadIdx.x;
  if (t >= std::int64_t{points.runs} * points.tiles) return;
  const std::int64_t run = t / points.tiles;
  const int first = static_cast<int>(t - run * points.tiles) * points.tile_groups,
            end = min(first + points.tile_groups, points.groups);
  const std::int32_t* start = points.start + run * points.groups;
  const int count = start[end] - start[first];
  if (count > most_of_tile) atomicMax(crowd, static_cast<unsigned long long>(count));
}

template <typename T>
LineOrder order_of(const GroupPoints<T>& points) {
  return {points.samples, points.run_samples, points.runs,
          points.cells,   points.width,       GroupPoints<T>::group_shift};
}

template <typename T>
struct Tables {
  std::uint32_t* order;
  T* offset;
  std::int32_t* start;

  Tables(const GroupPoints<T>& points, Pieces& pieces)
      : order(pieces.take<std::uint32_t>(points.samples)),
        offset(pieces.take<T>(points.samples)),
        start(pieces.take<std::int32_t>(order_of(points).keys() + 1)) {}
};

}  // namespace

template <typename T>
std::size_t group_table_bytes(const GroupPoints<T>& sizes) {
  Pieces pieces(nullptr);
  Tables<T>(sizes, pieces);
  return pieces.bytes();
}

template <typename T>
std::size_t group_sort_bytes(const GroupPoints<T>& sizes) {
  Pieces pieces(nullptr);
  LineSort(order_of(sizes), pieces);
  return pieces.bytes();
}

template <typename T>
GroupPoints<T> sort_into_groups(const GroupPoints<T>& sizes, const double* coordinates, void* tables,
                                GroupReport* report, void* scratch, larmor::cuda::Stream stream) {
  using larmor::cuda::check;
  using larmor::cuda::check_launch;
  Pieces table_pieces(tables), scratch_pieces(scratch);
  const Tables<T> t(sizes, table_pieces);
  const LineOrder order = order_of(sizes);
  LineSort sorted(order, scratch_pieces);
  GroupPoints<T> points = sizes;
  points.order = t.order;
  points.offset = t.offset;
  points.start = t.start;
  const std::int64_t keys = order.keys();
  check(cudaMemsetAsync(t.start, 0xff, static_cast<std::size_t>(keys + 1) * sizeof *t.start, stream),
        "clearing the table of groups");
  check(cudaMemsetAsync(&report->crowd, 0, sizeof report->crowd, stream), "clearing a counter");
  sorted.run(coordinates, &report->not_finite, stream);
  place_in_groups<T><<<line_blocks(points.samples), line_threads, 0, stream>>>(
      coordinates, order.lattice(), points.samples, sorted.keys(), sorted.index(), t.order, t.offset,
      t.start);
  check_launch("place_in_groups");
  find_empty_starts<<<line_blocks(keys + 1), line_threads, 0, stream>>>(sorted.keys(), points.samples, keys,
                                                                        t.start);
  check_launch("find_empty_starts");
  find_crowd<T><<<line_blocks(std::int64_t{points.runs} * points.tiles), line_threads, 0, stream>>>(
      points, reinterpret_cast<unsigned long long*>(&report->crowd));
  check_launch("find_crowd");
  return points;
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template std::size_t group_table_bytes(const GroupPoints<T>&);                                             \
  template std::size_t group_sort_bytes(const GroupPoints<T>&);                                              \
  template GroupPoints<T> sort_into_groups(const GroupPoints<T>&, const double*, void*, GroupReport*, void*, \
                                           larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
