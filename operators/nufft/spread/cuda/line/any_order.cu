#include <larmor/operators/nufft/spread/cuda/line/any_order.hpp>

#include <larmor/core/context.hpp>
#include <larmor/core/cuda/device_attribute.cuh>
#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>
#include <larmor/operators/nufft/spread/cuda/points/sort_cells.cuh>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 512, points_of_thread = 2;
constexpr int points_of_block = threads * points_of_thread;

template <typename T>
struct InOrderTask {
  UnsortedPoints<T> points;
  const Complex<T>* grid;
  Complex<T>* samples;
  const T* weights;
  bool accumulate;
};

template <typename T>
__global__ void __launch_bounds__(threads)
    place_kernel(const double* __restrict__ coordinates, const __grid_constant__ SortGrid sort_grid,
                 std::int64_t samples, std::int32_t* __restrict__ cells, T* __restrict__ offsets,
                 unsigned long long* not_finite) {
  const std::int64_t p = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (p >= samples) return;
  double k = coordinates[p];
  if (!isfinite(k)) {
    // −1 is the largest unsigned number, so the minimum is the first such sample.
    atomicMin(not_finite, static_cast<unsigned long long>(p));
    k = 0;
  }
  double fraction;
  cells[p] = first_cell(sort_grid, 0, k, fraction);
  offsets[p] = static_cast<T>(2 * fraction - 1);
}

// Bytes before the grid in shared memory.
template <typename T>
__host__ __device__ constexpr int coefficient_bytes(const UnsortedPoints<T>& points) {
  return ((points.degree + 1) * points.stride * static_cast<int>(sizeof(T)) + 15) / 16 * 16;
}

template <typename T>
__device__ void store(const InOrderTask<T>& task, std::int64_t p, Complex<T> sum) {
  if (task.weights) {
    const T scale = task.weights[p];
    sum = {scale * sum.re, scale * sum.im};
  }
  Complex<T>& to = task.samples[p];
  if (task.accumulate) sum = {to.re + sum.re, to.im + sum.im};
  to = sum;
}

// For grids that shared memory holds: each thread gathers the cells of its points.
template <typename T, int W>
__global__ void __launch_bounds__(threads) staged_kernel(const __grid_constant__ InOrderTask<T> task) {
  extern __shared__ __align__(16) unsigned char memory[];
  const UnsortedPoints<T>& points = task.points;
  T* const coefficients = reinterpret_cast<T*>(memory);
  Complex<T>* const copy = reinterpret_cast<Complex<T>*>(memory + coefficient_bytes(points));
  for (int i = threadIdx.x; i < (points.degree + 1) * points.stride; i += threads)
    coefficients[i] = points.coefficients[i];
  for (int i = threadIdx.x; i < points.cells + W - 1; i += threads) copy[i] = task.grid[i % points.cells];
  __syncthreads();

  const std::int64_t step = std::int64_t{gridDim.x} * points_of_block;
  for (std::int64_t base = std::int64_t{blockIdx.x} * points_of_block; base < points.samples; base += step) {
    std::int64_t place[points_of_thread];
    int cell[points_of_thread];
    T u[points_of_thread], weight[points_of_thread][W];
#pragma unroll
    for (int k = 0; k < points_of_thread; ++k) {
      place[k] = base + k * threads + static_cast<int>(threadIdx.x);
      const std::int64_t p = min(place[k], points.samples - 1);
      cell[k] = __ldcs(points.cell + p);
      u[k] = __ldcs(points.offset + p);
    }
    const T* coefficient = coefficients;
    for (int n = 0; n <= points.degree; ++n, coefficient += points.stride)
#pragma unroll
      for (int l = 0; l < W; ++l)
#pragma unroll
        for (int k = 0; k < points_of_thread; ++k)
          weight[k][l] = n == 0 ? coefficient[l] : weight[k][l] * u[k] + coefficient[l];
#pragma unroll
    for (int k = 0; k < points_of_thread; ++k) {
      if (place[k] >= points.samples) return;
      Complex<T> sum{};
#pragma unroll
      for (int l = 0; l < W; ++l) {
        const Complex<T> value = copy[cell[k] + l];
        sum.re += weight[k][l] * value.re;
        sum.im += weight[k][l] * value.im;
      }
      store(task, place[k], sum);
    }
  }
}

// For larger grids: the lanes of a group gather neighbouring cells of one point, which lie in few memory
// sectors, for each of the group's points in turn.
template <typename T, int W>
__global__ void __launch_bounds__(threads) gather_kernel(const __grid_constant__ InOrderTask<T> task) {
  constexpr int group = 8;
  extern __shared__ __align__(16) unsigned char memory[];
  const UnsortedPoints<T>& points = task.points;
  T* const coefficients = reinterpret_cast<T*>(memory);
  for (int i = threadIdx.x; i < (points.degree + 1) * points.stride; i += threads)
    coefficients[i] = points.coefficients[i];
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % group;
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t base = std::int64_t{blockIdx.x} * threads; base < points.samples; base += step) {
    const std::int64_t p = min(base + threadIdx.x, points.samples - 1);
    const int own_cell = __ldcs(points.cell + p);
    const T own_u = __ldcs(points.offset + p);
    int cell[group];
    T u[group], re[group] = {}, im[group] = {};
#pragma unroll
    for (int i = 0; i < group; ++i) {
      cell[i] = __shfl_sync(0xffffffff, own_cell, i, group);
      u[i] = __shfl_sync(0xffffffff, own_u, i, group);
    }
#pragma unroll
    for (int first = 0; first < W; first += group) {
      const int l = first + lane;
      if (l >= W) break;
      Complex<T> value[group];
#pragma unroll
      for (int i = 0; i < group; ++i) {
        const int at = cell[i] + l;
        value[i] = task.grid[at < points.cells ? at : at - points.cells];
      }
      T weight[group] = {};
      for (int n = 0; n <= points.degree; ++n) {
        const T coefficient = coefficients[n * points.stride + l];
#pragma unroll
        for (int i = 0; i < group; ++i) weight[i] = weight[i] * u[i] + coefficient;
      }
#pragma unroll
      for (int i = 0; i < group; ++i) {
        re[i] += weight[i] * value[i].re;
        im[i] += weight[i] * value[i].im;
      }
    }
    // Sums over the lanes; each keeps half of the points, until one, its own, is left.
#pragma unroll
    for (int half = group / 2; half > 0; half /= 2) {
      const bool upper = lane & half;
#pragma unroll
      for (int i = 0; i < half; ++i) {
        const T other_re = __shfl_xor_sync(0xffffffff, upper ? re[i] : re[i + half], half, group),
                other_im = __shfl_xor_sync(0xffffffff, upper ? im[i] : im[i + half], half, group);
        re[i] = (upper ? re[i + half] : re[i]) + other_re;
        im[i] = (upper ? im[i + half] : im[i]) + other_im;
      }
    }
    if (base + threadIdx.x < points.samples) store(task, p, {re[0], im[0]});
  }
}

template <typename T, int W>
void launch_width(const InOrderTask<T>& task, larmor::cuda::Stream stream) {
  const auto launch = [&](auto kernel, std::size_t bytes, int of_block) {
    larmor::cuda::allow_shared_bytes(kernel, bytes);
    int resident = 1;
    larmor::cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, bytes),
                        "asking how many blocks a multiprocessor holds");
    const std::int64_t most =
        std::int64_t{std::max(1, resident)} * larmor::cuda::device_attribute(cudaDevAttrMultiProcessorCount);
    const auto blocks = std::min(most, (task.points.samples + of_block - 1) / of_block);
    kernel<<<static_cast<unsigned>(blocks), threads, bytes, stream>>>(task);
    larmor::cuda::check_launch("interpolate_in_order");
  };
  const std::size_t head = coefficient_bytes(task.points),
                    all = head + (static_cast<std::size_t>(task.points.cells) + W - 1) * sizeof(Complex<T>);
  const auto most =
      static_cast<std::size_t>(larmor::cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  if (all <= most && task.points.samples >= task.points.cells)
    launch(staged_kernel<T, W>, all, points_of_block);
  else
    launch(gather_kernel<T, W>, head, threads);
}

// The kernel for a width, found by counting up from the narrowest.
template <typename T, int W = 3>
void launch(const InOrderTask<T>& task, larmor::cuda::Stream stream) {
  if (task.points.width == W) return launch_width<T, W>(task, stream);
  if constexpr (W < (sizeof(T) == 4 ? 10 : 16)) launch<T, W + 1>(task, stream);
}

}  // namespace

template <typename T>
std::size_t unsorted_table_bytes(std::int64_t samples) {
  return Arena::rounded(static_cast<std::size_t>(samples) * sizeof(std::int32_t)) +
         static_cast<std::size_t>(samples) * sizeof(T);
}

template <typename T>
UnsortedPoints<T> place_in_order(const Points<T>& sizes, const double* coordinates, void* tables,
                                 std::int64_t* not_finite, larmor::cuda::Stream stream) {
  UnsortedPoints<T> points{};
  points.set_sizes(sizes);
  auto* const cells = static_cast<std::int32_t*>(tables);
  auto* const offsets =
      reinterpret_cast<T*>(static_cast<std::byte*>(tables) +
                           Arena::rounded(static_cast<std::size_t>(sizes.samples) * sizeof(std::int32_t)));
  points.cell = cells;
  points.offset = offsets;
  larmor::cuda::check(cudaMemsetAsync(not_finite, 0xff, sizeof *not_finite, stream), "setting a counter");
  const std::int64_t blocks = (sizes.samples + threads - 1) / threads;
  if (blocks == 0) return points;
  place_kernel<T><<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
      coordinates, sort_grid_of(points), sizes.samples, cells, offsets,
      reinterpret_cast<unsigned long long*>(not_finite));
  larmor::cuda::check_launch("place_in_order");
  return points;
}

template <typename T>
void interpolate_in_order(const UnsortedPoints<T>& points, const std::complex<T>* grid,
                          std::complex<T>* samples, const T* weights, bool accumulate,
                          larmor::cuda::Stream stream) {
  if (points.samples == 0) return;
  launch<T>({points, reinterpret_cast<const Complex<T>*>(grid), reinterpret_cast<Complex<T>*>(samples),
             weights, accumulate},
            stream);
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template std::size_t unsorted_table_bytes<T>(std::int64_t);                                            \
  template UnsortedPoints<T> place_in_order(const Points<T>&, const double*, void*, std::int64_t*,       \
                                            larmor::cuda::Stream);                                       \
  template void interpolate_in_order(const UnsortedPoints<T>&, const std::complex<T>*, std::complex<T>*, \
                                     const T*, bool, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
