#include <larmor/operators/nufft/cuda/lattice.cuh>
#include <larmor/operators/nufft/cuda/moments.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

// The cells of a run follow those of the run before.
__global__ void find_cells(const double* __restrict__ coordinates, Lattice lattice, std::int64_t samples,
                           std::int64_t run_samples, std::uint32_t* __restrict__ cell_of,
                           std::int32_t* __restrict__ index, unsigned long long* not_finite) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (j >= samples) return;
  double k = coordinates[j], fraction;
  if (!isfinite(k)) {
    // −1 is the largest unsigned number, so the minimum is the first such sample.
    atomicMin(not_finite, static_cast<unsigned long long>(j));
    k = 0;
  }
  cell_of[j] =
      static_cast<std::uint32_t>(j / run_samples) * lattice.cells[0] + first_cell(lattice, 0, k, fraction);
  index[j] = static_cast<std::int32_t>(j);
}

template <typename T>
__global__ void place(const double* __restrict__ coordinates, Lattice lattice, std::int64_t samples,
                      const std::uint32_t* __restrict__ sorted_cell,
                      const std::int32_t* __restrict__ sorted_index, std::uint32_t* __restrict__ order,
                      T* __restrict__ offset) {
  const std::int64_t p = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (p >= samples) return;
  const std::int32_t j = sorted_index[p];
  const bool first = p == 0 || sorted_cell[p - 1] != sorted_cell[p];
  order[p] = static_cast<std::uint32_t>(j) | (first ? MomentPoints<T>::first_of_cell : 0);
  double k = coordinates[j], fraction;
  if (!isfinite(k)) k = 0;
  first_cell(lattice, 0, k, fraction);
  offset[p] = static_cast<T>(2 * fraction - 1);
}

// Which cells have points.
template <typename T>
__global__ void mark_cells(const std::uint32_t* __restrict__ order,
                           const std::uint32_t* __restrict__ sorted_cell, std::int64_t samples,
                           std::int32_t* __restrict__ slot) {
  const std::int64_t p = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (p < samples && order[p] & MomentPoints<T>::first_of_cell) slot[sorted_cell[p]] = 1;
}

__global__ void number_cells(const std::int32_t* __restrict__ before, std::int64_t cells,
                             std::int32_t* __restrict__ slot) {
  const std::int64_t c = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (c < cells) slot[c] = slot[c] != 0 ? before[c] : -1;
}

__global__ void find_slots(const std::uint32_t* __restrict__ sorted_cell,
                           const std::int32_t* __restrict__ slot, std::int64_t ranges, int range,
                           std::int32_t* __restrict__ slot_of_range) {
  const std::int64_t r = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (r < ranges) slot_of_range[r] = slot[sorted_cell[r * range]];
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// Consecutive arrays in one piece of memory.
class Pieces {
 public:
  explicit Pieces(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <typename U>
  U* take(std::int64_t count) {
    U* pointer = reinterpret_cast<U*>(memory_ + bytes_);
    bytes_ += aligned(static_cast<std::size_t>(count) * sizeof(U));
    return pointer;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

template <typename T>
std::int64_t all_cells(const MomentPoints<T>& points) {
  return std::int64_t{points.runs} * points.cells;
}

template <typename T>
int key_bits(const MomentPoints<T>& points) {
  int bits = 1;
  while (bits < 32 && (std::int64_t{1} << bits) < all_cells(points)) ++bits;
  return bits;
}

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

struct SortScratch {
  std::uint32_t* cell[2];
  std::int32_t* index[2];
  std::int32_t* before;
  char* cub;
  std::size_t cub_bytes;
};
template <typename T>
SortScratch lay_out_scratch(const MomentPoints<T>& points, Pieces& pieces) {
  using larmor::cuda::check;
  SortScratch s;
  for (int i = 0; i < 2; ++i) s.cell[i] = pieces.take<std::uint32_t>(points.samples);
  for (int i = 0; i < 2; ++i) s.index[i] = pieces.take<std::int32_t>(points.samples);
  s.before = pieces.take<std::int32_t>(all_cells(points));
  std::size_t radix = 0, scan = 0;
  cub::DoubleBuffer<std::uint32_t> keys;
  cub::DoubleBuffer<std::int32_t> values;
  check(cub::DeviceRadixSort::SortPairs(nullptr, radix, keys, values, points.samples, 0, key_bits(points)),
        "planning to sort NUFFT points");
  check(cub::DeviceScan::ExclusiveSum(nullptr, scan, s.before, s.before, all_cells(points)),
        "planning to number cells");
  s.cub_bytes = std::max(radix, scan);
  s.cub = pieces.take<char>(static_cast<std::int64_t>(s.cub_bytes));
  return s;
}

}  // namespace

template <typename T>
MomentPoints<T> moment_sizes(const Points<T>& points, std::size_t run_bytes) {
  MomentPoints<T> sizes{};
  sizes.samples = points.samples;
  sizes.cells = points.grid[0];
  sizes.width = points.width;
  sizes.degree = points.degree;
  sizes.stride = points.stride;
  sizes.coefficients = points.coefficients;
  sizes.kept = std::max(6, (points.degree + 2) / 2 * 2);
  // A part of the second-level cache, as several runs are in work at a time. Cells of a run should still have
  // many points: each costs a sum over a warp.
  constexpr std::int64_t points_of_a_cell = 32;
  const auto run = static_cast<std::int64_t>((run_bytes > 0 ? run_bytes : std::size_t{16} << 20) /
                                             sizeof(std::complex<T>));
  const std::int64_t most = std::max<std::int64_t>(1, sizes.samples / (points_of_a_cell * sizes.cells));
  const std::int64_t runs = std::clamp<std::int64_t>((sizes.samples + run - 1) / run, 1, most);
  sizes.run_samples = std::max<std::int64_t>(1, (sizes.samples + runs - 1) / runs);
  sizes.runs = static_cast<std::int32_t>(
      std::max<std::int64_t>(1, (sizes.samples + sizes.run_samples - 1) / sizes.run_samples));
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
  lay_out_scratch(sizes, pieces);
  return pieces.bytes();
}

template <typename T>
MomentPoints<T> sort_for_moments(const MomentPoints<T>& sizes, const double* coordinates, void* tables,
                                 std::int64_t* not_finite, void* scratch, larmor::cuda::Stream stream) {
  using larmor::cuda::check;
  using larmor::cuda::check_launch;
  Pieces table_pieces(tables), scratch_pieces(scratch);
  const Tables<T> t = lay_out_tables(sizes, table_pieces);
  SortScratch s = lay_out_scratch(sizes, scratch_pieces);
  MomentPoints<T> points = sizes;
  points.order = t.order;
  points.offset = t.offset;
  points.slot = t.slot;
  points.slot_of_range = t.slot_of_range;
  const std::int64_t samples = points.samples, cells = all_cells(points);
  const Lattice lattice{1,
                        {static_cast<double>(points.cells), 1, 1},
                        0.5 * points.width,
                        {points.cells, 1, 1},
                        {1, 1, 1},
                        {points.cells, 1, 1}};
  check(cudaMemsetAsync(not_finite, 0xff, sizeof *not_finite, stream), "clearing a flag");
  find_cells<<<blocks_for(samples), threads, 0, stream>>>(coordinates, lattice, samples, points.run_samples,
                                                          s.cell[0], s.index[0],
                                                          reinterpret_cast<unsigned long long*>(not_finite));
  check_launch("find_cells");
  cub::DoubleBuffer<std::uint32_t> keys(s.cell[0], s.cell[1]);
  cub::DoubleBuffer<std::int32_t> values(s.index[0], s.index[1]);
  std::size_t bytes = s.cub_bytes;
  check(cub::DeviceRadixSort::SortPairs(s.cub, bytes, keys, values, samples, 0, key_bits(points), stream),
        "sorting NUFFT points");
  place<T><<<blocks_for(samples), threads, 0, stream>>>(coordinates, lattice, samples, keys.Current(),
                                                        values.Current(), t.order, t.offset);
  check_launch("place");
  check(cudaMemsetAsync(t.slot, 0, static_cast<std::size_t>(cells) * sizeof *t.slot, stream),
        "clearing the table of cells");
  mark_cells<T><<<blocks_for(samples), threads, 0, stream>>>(t.order, keys.Current(), samples, t.slot);
  check_launch("mark_cells");
  bytes = s.cub_bytes;
  check(cub::DeviceScan::ExclusiveSum(s.cub, bytes, t.slot, s.before, cells, stream), "numbering cells");
  number_cells<<<blocks_for(cells), threads, 0, stream>>>(s.before, cells, t.slot);
  check_launch("number_cells");
  find_slots<<<blocks_for(points.ranges), threads, 0, stream>>>(keys.Current(), t.slot, points.ranges,
                                                                points.range, t.slot_of_range);
  check_launch("find_slots");
  return points;
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template MomentPoints<T> moment_sizes(const Points<T>&, std::size_t);                                  \
  template std::size_t moment_table_bytes(const MomentPoints<T>&);                                       \
  template std::size_t moment_sort_bytes(const MomentPoints<T>&);                                        \
  template MomentPoints<T> sort_for_moments(const MomentPoints<T>&, const double*, void*, std::int64_t*, \
                                            void*, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
