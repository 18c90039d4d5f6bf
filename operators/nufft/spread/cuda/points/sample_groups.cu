#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>
#include <larmor/operators/nufft/spread/cuda/points/radix_sort.cuh>
#include <larmor/operators/nufft/spread/cuda/points/sample_groups.hpp>

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

namespace larmor::nufft::cuda {
namespace {

constexpr int most_groups = 256, points_of_thread = 16, tile = sort_threads * points_of_thread;
constexpr int values_of_thread = 4;
static_assert(most_groups == sort_threads);  // a thread for each group

struct Order {
  const std::uint32_t* order;
  std::uint32_t mask;
  int shift;  ///< samples of a group, as a power of two
  std::int64_t samples;
  unsigned tiles;

  Order(const SampleOrder& of, std::int64_t count)
      : order(of.of),
        mask(of.bits < 32 ? (1u << of.bits) - 1 : ~0u),
        shift(0),
        samples(count),
        tiles(sort_blocks(count, points_of_thread)) {
    while ((count - 1) >> shift >= most_groups) ++shift;
  }
  /// The samples of a thread's points: of its block's tile every sort_threads-th one.
  __device__ void read(std::uint32_t (&sample)[points_of_thread]) const {
    const std::int64_t first = std::int64_t{blockIdx.x} * tile + threadIdx.x;
#pragma unroll
    for (int i = 0; i < points_of_thread; ++i)
      sample[i] = __ldcs(order + min(first + i * sort_threads, samples - 1)) & mask;
  }
  /// How many points a block's tile has.
  __device__ int in_tile() const {
    return static_cast<int>(min(samples - std::int64_t{blockIdx.x} * tile, std::int64_t{tile}));
  }
};

__global__ void __launch_bounds__(sort_threads)
    find_apart(const __grid_constant__ Order order, std::int64_t* apart) {
  constexpr int looks = 16, near = 16;
  int count = 0;
  for (int i = 0; i < looks; ++i) {
    const std::int64_t p = (order.samples - 1) * (i * sort_threads + threadIdx.x) / (looks * sort_threads);
    const std::int64_t here = order.order[p] & order.mask,
                       there = order.order[min(p + 1, order.samples - 1)] & order.mask;
    count += __syncthreads_count(abs(here - there) > near);
  }
  if (threadIdx.x == 0) *apart = 2 * count > looks * sort_threads;
}

// counts [group][tile]
__global__ void __launch_bounds__(sort_threads)
    count_groups(const __grid_constant__ Order order, std::uint32_t* __restrict__ counts) {
  __shared__ std::uint32_t count[most_groups];
  count[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t sample[points_of_thread];
  order.read(sample);
  const int points = order.in_tile();
#pragma unroll
  for (int i = 0; i < points_of_thread; ++i)
    if (i * sort_threads + static_cast<int>(threadIdx.x) < points)
      atomicAdd(&count[sample[i] >> order.shift], 1);
  __syncthreads();
  counts[std::int64_t{threadIdx.x} * order.tiles + blockIdx.x] = count[threadIdx.x];
}

// Which of its tile's places a point takes may vary; where its value comes to in the end does not. A tile's
// samples are put into the order of their groups first, and written side by side.
__global__ void __launch_bounds__(sort_threads)
    place_in_groups(const __grid_constant__ Order order, const std::uint32_t* __restrict__ starts,
                    std::uint32_t* __restrict__ place, std::uint32_t* __restrict__ sample_at) {
  using Scan = cub::BlockScan<std::uint32_t, sort_threads>;
  __shared__ typename Scan::TempStorage scan;
  // Of a group: how many points the tile has, where they begin in the tile, and how far from there in memory.
  __shared__ std::uint32_t count[most_groups], begin[most_groups], offset[most_groups], in_order[tile];
  count[threadIdx.x] = 0;
  const std::uint32_t start = starts[std::int64_t{threadIdx.x} * order.tiles + blockIdx.x];
  std::uint32_t sample[points_of_thread], rank[points_of_thread];
  order.read(sample);
  const int points = order.in_tile(), own = static_cast<int>(threadIdx.x);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < points_of_thread; ++i)
    if (i * sort_threads + own < points) rank[i] = atomicAdd(&count[sample[i] >> order.shift], 1);
  __syncthreads();
  std::uint32_t before;
  Scan(scan).ExclusiveSum(count[own], before);
  begin[own] = before;
  offset[own] = start - before;
  __syncthreads();
  const std::int64_t first = std::int64_t{blockIdx.x} * tile + own;
#pragma unroll
  for (int i = 0; i < points_of_thread; ++i)
    if (i * sort_threads + own < points) {
      const std::uint32_t group = sample[i] >> order.shift, at = begin[group] + rank[i];
      in_order[at] = sample[i];
      place[first + i * sort_threads] = offset[group] + at;
    }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < points_of_thread; ++i)
    if (const int at = i * sort_threads + own; at < points)
      sample_at[offset[in_order[at] >> order.shift] + at] = in_order[at];
}

// Group by group, so that what is written stays in the second-level cache until it is whole.
__global__ void __launch_bounds__(sort_threads)
    find_places(const std::uint32_t* __restrict__ sample_at, std::int64_t samples,
                std::uint32_t* __restrict__ of_sample) {
  const std::int64_t first = std::int64_t{blockIdx.x} * (sort_threads * values_of_thread) + threadIdx.x;
  std::uint32_t sample[values_of_thread];
#pragma unroll
  for (int i = 0; i < values_of_thread; ++i)
    sample[i] = __ldcs(sample_at + min(first + i * sort_threads, samples - 1));
#pragma unroll
  for (int i = 0; i < values_of_thread; ++i) {
    const std::int64_t q = first + i * sort_threads;
    if (q < samples) of_sample[sample[i]] = static_cast<std::uint32_t>(q);
  }
}

template <typename T>
__global__ void __launch_bounds__(sort_threads)
    ungroup(const SampleGroups groups, std::int64_t count, const Complex<T>* __restrict__ values,
            Complex<T>* __restrict__ samples, const T* __restrict__ weights, bool accumulate) {
  const std::int64_t first = std::int64_t{blockIdx.x} * (sort_threads * values_of_thread) + threadIdx.x;
  std::uint32_t place[values_of_thread];
  Complex<T> value[values_of_thread];
#pragma unroll
  for (int i = 0; i < values_of_thread; ++i)
    place[i] = __ldcs(groups.of_sample + min(first + i * sort_threads, count - 1));
#pragma unroll
  for (int i = 0; i < values_of_thread; ++i) value[i] = values[place[i]];
#pragma unroll
  for (int i = 0; i < values_of_thread; ++i) {
    const std::int64_t s = first + i * sort_threads;
    if (s >= count) return;
    const T weight = weights ? weights[s] : T(1);
    value[i] = {weight * value[i].re, weight * value[i].im};
    if (accumulate) value[i] = {samples[s].re + value[i].re, samples[s].im + value[i].im};
    samples[s] = value[i];
  }
}

struct Work {
  std::int64_t counters;
  std::uint32_t *counts, *sample_at;
  void* scan;
  std::size_t scan_bytes = 0;

  Work(std::int64_t samples, Pieces& pieces)
      : counters(std::int64_t{most_groups} * sort_blocks(samples, points_of_thread)),
        counts(pieces.take<std::uint32_t>(counters)),
        sample_at(pieces.take<std::uint32_t>(samples)) {
    larmor::cuda::check(
        cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, counts, counts, static_cast<int>(counters)),
        "planning to group samples");
    scan = pieces.take<char>(static_cast<std::int64_t>(scan_bytes));
  }
};

}  // namespace

std::size_t sample_group_bytes(std::int64_t samples) {
  Pieces pieces(nullptr);
  pieces.take<std::uint32_t>(samples);
  pieces.take<std::uint32_t>(samples);
  return pieces.bytes();
}

std::size_t sample_group_scratch_bytes(std::int64_t samples) {
  Pieces pieces(nullptr);
  Work(samples, pieces);
  return pieces.bytes();
}

bool samples_lie_apart(const SampleOrder& order, std::int64_t samples, std::int64_t* found,
                       larmor::cuda::Stream stream) {
  using larmor::cuda::check;
  find_apart<<<1, sort_threads, 0, stream>>>(Order(order, samples), found);
  larmor::cuda::check_launch("find_apart");
  std::int64_t apart = 0;
  check(cudaMemcpyAsync(&apart, found, sizeof apart, cudaMemcpyDeviceToHost, stream), "copying a flag");
  check(cudaStreamSynchronize(stream), "looking at the order of samples");
  return apart != 0;
}

SampleGroups group_samples(const SampleOrder& order, std::int64_t samples, void* tables, void* scratch,
                           larmor::cuda::Stream stream) {
  Pieces kept(tables), pieces(scratch);
  auto* const place = kept.take<std::uint32_t>(samples);
  auto* const of_sample = kept.take<std::uint32_t>(samples);
  Work work(samples, pieces);
  const Order of(order, samples);
  count_groups<<<of.tiles, sort_threads, 0, stream>>>(of, work.counts);
  larmor::cuda::check_launch("count_groups");
  larmor::cuda::check(cub::DeviceScan::ExclusiveSum(work.scan, work.scan_bytes, work.counts, work.counts,
                                                    static_cast<int>(work.counters), stream),
                      "grouping samples");
  place_in_groups<<<of.tiles, sort_threads, 0, stream>>>(of, work.counts, place, work.sample_at);
  larmor::cuda::check_launch("place_in_groups");
  find_places<<<sort_blocks(samples, values_of_thread), sort_threads, 0, stream>>>(work.sample_at, samples,
                                                                                   of_sample);
  larmor::cuda::check_launch("find_places");
  return {place, of_sample};
}

template <typename T>
void ungroup_samples(const SampleGroups& groups, std::int64_t count, const std::complex<T>* values,
                     std::complex<T>* samples, const T* weights, bool accumulate,
                     larmor::cuda::Stream stream) {
  ungroup<T><<<sort_blocks(count, values_of_thread), sort_threads, 0, stream>>>(
      groups, count, reinterpret_cast<const Complex<T>*>(values), reinterpret_cast<Complex<T>*>(samples),
      weights, accumulate);
  larmor::cuda::check_launch("ungroup_samples");
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template void ungroup_samples(const SampleGroups&, std::int64_t, const std::complex<T>*, std::complex<T>*, \
                                const T*, bool, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
