#include <larmor/operators/nufft/spread/cuda/line/cell_sort.hpp>
#include <larmor/operators/nufft/spread/cuda/points/radix_sort.cuh>
#include <larmor/operators/nufft/spread/cuda/points/sort_cells.cuh>

#include <cub/block/block_radix_rank.cuh>

// Sorts complete records of the points, so that nothing needs to be gathered afterwards: radix passes by the
// upper bits of the key group points into buckets of neighbouring cells, and a thread block then sorts each
// bucket by the lower bits while writing the tables.
namespace larmor::nufft::cuda {
namespace {

constexpr int radix_bits = 8, digits = 1 << radix_bits;
static_assert(digits == sort_threads);  // a thread for each cell of a bucket
constexpr int small_bucket = 4 * sort_threads, large_bucket = 8 * sort_threads;

// A point's key is run · cells + cell. Its fraction is stored with 64 − bits binary digits. Nothing is lost
// if the position in the grid, a double with 53 digits, is 2^(bits − 12) cells or more: everywhere except in
// the first runs/2^13 of the grid. There the loss is less than 2^(bits − 64) of a cell: 2^−33 for 2^31 cells,
// and 2^−38 for several runs, whose cells have 32 points each.
struct Record {
  std::uint32_t key;    ///< key << (32 − bits) | fraction's first 32 − bits digits
  std::uint64_t value;  ///< its other digits << 32 | sample
};

__device__ inline Record packed(std::uint32_t key, int bits, double fraction, std::uint32_t sample) {
  constexpr double below_one = 1 - 0x1p-53;  // rounding may have produced 1
  const auto fixed = static_cast<std::uint64_t>((fraction < below_one ? fraction : below_one) * 0x1p64);
  return {key << (32 - bits) | static_cast<std::uint32_t>(fixed >> (32 + bits)),
          fixed >> bits << 32 | sample};
}

__device__ inline double offset_of(Record record, int bits) {
  const std::uint64_t fixed = (std::uint64_t{record.key} << 32 | record.value >> 32) << bits;
  return static_cast<double>(fixed) * 0x1p-63 - 1;
}

struct CellOrder {
  std::uint32_t samples, run_samples;
  std::int64_t keys;
  int bits;         ///< of a key
  int bucket_bits;  ///< number of bits in which cells of a bucket differ; 0: no buckets

  template <typename T>
  explicit CellOrder(const CellPoints<T>& points)
      : samples(static_cast<std::uint32_t>(points.samples)),
        run_samples(static_cast<std::uint32_t>(points.run_samples)),
        keys(points.all_cells()),
        bits(bits_of(keys)),
        bucket_bits(0) {
    // One pass fewer than sorting by all bits; smaller buckets if there are many points.
    const int passes = (bits - 1) / radix_bits;
    if (passes == 0) return;
    const auto suits = [&](int b) { return (points.samples << b) / keys <= 3 * large_bucket / 4; };
    int chosen = radix_bits;
    while (chosen > bits - passes * radix_bits && !suits(chosen)) --chosen;
    if (suits(chosen)) bucket_bits = chosen;
  }
  std::int64_t buckets() const { return ((keys - 1) >> bucket_bits) + 1; }
};

constexpr int points_of_thread = 4;

__global__ void __launch_bounds__(sort_threads)
    make_records(const double* __restrict__ coordinates, const __grid_constant__ SortGrid sort_grid,
                 const __grid_constant__ CellOrder order, std::uint32_t* __restrict__ keys,
                 std::uint64_t* __restrict__ values, unsigned long long* not_finite) {
  const std::uint32_t first = blockIdx.x * (sort_threads * points_of_thread) + threadIdx.x;
  double k[points_of_thread];
#pragma unroll
  for (int i = 0; i < points_of_thread; ++i) {
    const std::uint32_t j = first + i * sort_threads;
    k[i] = j < order.samples ? __ldcs(coordinates + j) : 0;
  }
#pragma unroll
  for (int i = 0; i < points_of_thread; ++i) {
    const std::uint32_t j = first + i * sort_threads;
    if (j >= order.samples) return;
    if (!isfinite(k[i])) {
      // −1 is the largest unsigned number, so the minimum is the first such sample.
      atomicMin(not_finite, static_cast<unsigned long long>(j));
      k[i] = 0;
    }
    double fraction;
    const auto cell = static_cast<std::uint32_t>(first_cell(sort_grid, 0, k[i], fraction));
    const Record record = packed(j / order.run_samples * sort_grid.cells[0] + cell, order.bits, fraction, j);
    keys[j] = record.key;
    values[j] = record.value;
  }
}

// *largest: number of points in the largest bucket, unless all are small.
__global__ void find_largest(const std::int32_t* __restrict__ bucket_start, std::int64_t buckets,
                             std::int32_t* largest) {
  const std::int64_t b = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (b >= buckets) return;
  const std::int32_t count = bucket_start[b + 1] - bucket_start[b];
  if (count > small_bucket) atomicMax(largest, count);
}

template <typename T>
struct Tables {
  std::uint32_t* order;
  T* offset;
  std::int32_t* start;

  Tables(const CellPoints<T>& points, Pieces& pieces)
      : order(pieces.take<std::uint32_t>(points.samples)),
        offset(pieces.take<T>(points.samples)),
        start(pieces.take<std::int32_t>(points.all_cells() + 1)) {}
};

// For CUB, which calls Digit().
struct CellOfBucket {
  int shift;
  std::uint32_t mask;
  __device__ std::uint32_t Digit(std::uint32_t key) const { return key >> shift & mask; }
};

// Sorts the points of a bucket by cell; a block of threads for each.
template <typename T, int items>
__global__ void __launch_bounds__(sort_threads)
    place_buckets(const std::uint32_t* __restrict__ keys, const std::uint64_t* __restrict__ values,
                  const std::int32_t* __restrict__ bucket_start, const __grid_constant__ CellOrder order,
                  const __grid_constant__ Tables<T> tables) {
  using Rank = cub::BlockRadixRankMatchEarlyCounts<sort_threads, radix_bits, false,
                                                   cub::BLOCK_SCAN_WARP_SCANS, cub::WARP_MATCH_ANY, 1>;
  struct Sorted {
    T offset[items * sort_threads];
    std::uint32_t order[items * sort_threads];
  };
  __shared__ union {
    typename Rank::TempStorage rank;
    Sorted sorted;
  } memory;
  const int thread = static_cast<int>(threadIdx.x);
  const std::int32_t begin = bucket_start[blockIdx.x], count = bucket_start[blockIdx.x + 1] - begin;
  const std::int64_t cell = (std::int64_t{blockIdx.x} << order.bucket_bits) + thread;
  const bool owns = thread < 1 << order.bucket_bits && cell < order.keys;
  if (blockIdx.x == gridDim.x - 1 && thread == 0)
    tables.start[order.keys] = static_cast<std::int32_t>(order.samples);
  if (count == 0) {
    if (owns) tables.start[cell] = begin;
    return;
  }
  // Ranks are ordered by warp, then item, then lane; slots beyond the last point rank behind it.
  const int first = thread / 32 * (32 * items) + thread % 32;
  std::uint32_t key[items];
  std::uint64_t value[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int p = first + 32 * i;
    key[i] = p < count ? __ldcs(keys + begin + p) : ~0u;
    value[i] = p < count ? __ldcs(values + begin + p) : 0;
  }
  int rank[items], before[Rank::BINS_TRACKED_PER_THREAD];
  Rank(memory.rank).RankKeys(key, rank, CellOfBucket{32 - order.bits, (1u << order.bucket_bits) - 1}, before);
  if (owns) tables.start[cell] = begin + before[0];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    memory.sorted.order[rank[i]] = static_cast<std::uint32_t>(value[i]);
    memory.sorted.offset[rank[i]] = static_cast<T>(offset_of({key[i], value[i]}, order.bits));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const int p = i * sort_threads + thread;
    if (p >= count) break;
    tables.order[begin + p] = memory.sorted.order[p];
    tables.offset[begin + p] = memory.sorted.offset[p];
  }
}

// Tables of points that have been sorted already.
template <typename T>
__global__ void place_sorted(const std::uint32_t* __restrict__ keys, const std::uint64_t* __restrict__ values,
                             const __grid_constant__ CellOrder order,
                             const __grid_constant__ Tables<T> tables) {
  const std::uint32_t p = blockIdx.x * sort_threads + threadIdx.x;
  if (p >= order.samples) return;
  const Record record{keys[p], values[p]};
  tables.order[p] = static_cast<std::uint32_t>(record.value);
  tables.offset[p] = static_cast<T>(offset_of(record, order.bits));
}

__global__ void find_crowd(const std::int32_t* __restrict__ start, std::int64_t cells,
                           unsigned long long* crowd) {
  const std::int64_t c = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  const unsigned count = c < cells ? start[c + 1] - start[c] : 0, most = __reduce_max_sync(~0u, count);
  // Reads `crowd` before updating it, because concurrent atomic updates of one address are serialised.
  if (threadIdx.x % 32 == 0 && most > *crowd) atomicMax(crowd, static_cast<unsigned long long>(most));
}

template <typename T>
class CellSort {
 public:
  CellSort(const CellPoints<T>& points, Pieces& pieces)
      : order_(points),
        sort_grid_(sort_grid_of(points)),
        records_(points.samples, order_.bits, pieces),
        bucket_start_(pieces.take<std::int32_t>(order_.buckets() + 1)),
        largest_(pieces.take<std::int32_t>(1)) {}

  void run(const double* coordinates, const Tables<T>& tables, std::int64_t* not_finite,
           larmor::cuda::Stream stream) {
    using larmor::cuda::check;
    using larmor::cuda::check_launch;
    check(cudaMemsetAsync(not_finite, 0xff, sizeof *not_finite, stream), "clearing a flag");
    make_records<<<sort_blocks(order_.samples, points_of_thread), sort_threads, 0, stream>>>(
        coordinates, sort_grid_, order_, records_.keys(), records_.values(),
        reinterpret_cast<unsigned long long*>(not_finite));
    check_launch("make_records");
    const std::int32_t largest = order_.bucket_bits > 0 ? sort_buckets(stream) : large_bucket + 1;
    if (largest <= small_bucket)
      place_buckets_of<4>(tables, stream);
    else if (largest <= large_bucket)
      place_buckets_of<8>(tables, stream);
    else
      sort_all(tables, stream);
  }

 private:
  // Result of find_largest().
  std::int32_t sort_buckets(larmor::cuda::Stream stream) {
    using larmor::cuda::check;
    using larmor::cuda::check_launch;
    const int lowest = 32 - order_.bits + order_.bucket_bits;
    const std::int64_t buckets = order_.buckets();
    records_.sort(lowest, 32, stream);
    find_starts<<<sort_blocks(buckets + 1), sort_threads, 0, stream>>>(
        records_.keys(), lowest, order_.samples, buckets, bucket_start_);
    check_launch("find_starts");
    check(cudaMemsetAsync(largest_, 0, sizeof *largest_, stream), "clearing a counter");
    find_largest<<<sort_blocks(buckets), sort_threads, 0, stream>>>(bucket_start_, buckets, largest_);
    check_launch("find_largest");
    std::int32_t largest = 0;
    check(cudaMemcpyAsync(&largest, largest_, sizeof largest, cudaMemcpyDeviceToHost, stream),
          "reading a counter");
    check(cudaStreamSynchronize(stream), "sorting NUFFT points");
    return largest;
  }

  template <int items>
  void place_buckets_of(const Tables<T>& tables, larmor::cuda::Stream stream) {
    place_buckets<T, items><<<static_cast<unsigned>(order_.buckets()), sort_threads, 0, stream>>>(
        records_.keys(), records_.values(), bucket_start_, order_, tables);
    larmor::cuda::check_launch("place_buckets");
  }

  void sort_all(const Tables<T>& tables, larmor::cuda::Stream stream) {
    records_.sort(32 - order_.bits, 32, stream);
    place_sorted<T><<<sort_blocks(order_.samples), sort_threads, 0, stream>>>(
        records_.keys(), records_.values(), order_, tables);
    larmor::cuda::check_launch("place_sorted");
    find_starts<<<sort_blocks(order_.keys + 1), sort_threads, 0, stream>>>(
        records_.keys(), 32 - order_.bits, order_.samples, order_.keys, tables.start);
    larmor::cuda::check_launch("find_starts");
  }

  CellOrder order_;
  SortGrid sort_grid_;
  PairSort<std::uint32_t, std::uint64_t> records_;
  std::int32_t *bucket_start_, *largest_;
};

}  // namespace

template <typename T>
std::size_t cell_table_bytes(const CellPoints<T>& sizes) {
  Pieces pieces(nullptr);
  Tables<T>(sizes, pieces);
  return pieces.bytes();
}

template <typename T>
std::size_t cell_sort_bytes(const CellPoints<T>& sizes) {
  Pieces pieces(nullptr);
  CellSort<T>(sizes, pieces);
  return pieces.bytes();
}

template <typename T>
void sort_by_cell(CellPoints<T>& points, const double* coordinates, void* tables, CellReport* report,
                  void* scratch, larmor::cuda::Stream stream) {
  Pieces table_pieces(tables), scratch_pieces(scratch);
  const Tables<T> t(points, table_pieces);
  points.order = t.order;
  points.offset = t.offset;
  points.start = t.start;
  CellSort<T>(points, scratch_pieces).run(coordinates, t, &report->not_finite, stream);
  larmor::cuda::check(cudaMemsetAsync(&report->crowd, 0, sizeof report->crowd, stream), "clearing a counter");
  find_crowd<<<sort_blocks(points.all_cells()), sort_threads, 0, stream>>>(
      t.start, points.all_cells(), reinterpret_cast<unsigned long long*>(&report->crowd));
  larmor::cuda::check_launch("find_crowd");
}

#define LARMOR_INSTANTIATE(T)                                  \
  template std::size_t cell_table_bytes(const CellPoints<T>&); \
  template std::size_t cell_sort_bytes(const CellPoints<T>&);  \
  template void sort_by_cell(CellPoints<T>&, const double*, void*, CellReport*, void*, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
