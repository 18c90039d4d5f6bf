#include <larmor/operators/nufft/spread/cuda/line/cell_moments.hpp>
#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>

#include <larmor/core/cuda/device_attribute.cuh>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr int points_of_thread = 6, chunk = threads * points_of_thread;  // points in shared memory at a time
constexpr int widest = 16, most_kept = 18;                               // polynomials have degrees up to 16

template <typename T>
struct CellMomentTask {
  CellPoints<T> points;
  const Complex<T>* samples;
  const T* weights;
  Complex<T>* grid;
};

template <typename T>
struct Shared {
  Complex<T> value[chunk];
  T offset[chunk];
  T coefficients[widest * most_kept];  ///< [cell of the kernel][power]
  Complex<T> passed[warps][widest];    ///< to the next warp, indexed by the thread they are for
};

// Starts the copies of points begin … begin + count − 1 of the order.
template <typename T>
__device__ void gather(const CellMomentTask<T>& task, int begin, int count, Shared<T>& shared) {
  std::uint32_t sample[points_of_thread];
  T offset[points_of_thread];
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) {
    const int p = begin + min(k * threads + static_cast<int>(threadIdx.x), count - 1);
    sample[k] = __ldcs(task.points.order + p);  // read once: must not evict samples from the cache
    offset[k] = __ldcs(task.points.offset + p);
  }
  Complex<T> value[points_of_thread];
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) value[k] = task.samples[sample[k]];
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) {
    if (task.weights) {
      const T weight = task.weights[sample[k]];
      value[k] = {weight * value[k].re, weight * value[k].im};
    }
    shared.value[k * threads + threadIdx.x] = value[k];
    shared.offset[k * threads + threadIdx.x] = offset[k];
  }
}

// Blocks overlap by the cells before their first one that have points touching it.
template <typename T, int kept>
__global__ void __launch_bounds__(threads)
    cell_moment_kernel(const __grid_constant__ CellMomentTask<T> task) {
  extern __shared__ __align__(16) unsigned char memory[];
  Shared<T>& shared = *reinterpret_cast<Shared<T>*>(memory);
  const CellPoints<T>& points = task.points;
  const int width = points.width, reach = width - 1, lane = static_cast<int>(threadIdx.x % 32),
            warp = static_cast<int>(threadIdx.x / 32);
  for (int i = threadIdx.x; i < width * kept; i += threads) {
    const int l = i / kept, n = i - l * kept;
    shared.coefficients[i] =
        n <= points.degree ? points.coefficients[(points.degree - n) * points.stride + l] : T(0);
  }
  const int first = static_cast<int>(blockIdx.x) * (threads - reach) - reach;
  const int cell = first + static_cast<int>(threadIdx.x);  // negative: around the edge
  const int own = cell < 0 ? cell + points.cells : cell;
  int begin = 0, end = 0;
  if (own < points.cells) begin = points.start[own], end = points.start[own + 1];

  Complex<T> moment[kept] = {};
  // Cells beyond the periodic edge are at the end of the order: at most two ranges of points.
  const int past = min(first + threads, static_cast<int>(points.cells));
  for (int part = first < 0 ? 0 : 1; part < 2; ++part) {
    const int from = points.start[part == 0 ? first + points.cells : max(first, 0)],
              to = points.start[part == 0 ? points.cells : past];
    for (int base = from; base < to; base += chunk) {
      const int count = min(chunk, to - base);
      __syncthreads();
      gather(task, base, count, shared);
      __syncthreads();
      if ((cell < 0) != (part == 0)) continue;
      const int last = min(end, base + count) - base;
      for (int p = max(begin, base) - base; p < last; ++p) {
        const Complex<T> value = shared.value[p];
        const T u = shared.offset[p];
        moment[0] = {moment[0].re + value.re, moment[0].im + value.im};
        T power = u;
#pragma unroll
        for (int n = 1; n < kept; ++n) {
          moment[n].re += power * value.re;
          moment[n].im += power * value.im;
          power *= u;
        }
      }
    }
  }
  __syncthreads();  // the coefficients, where there are no points

  // Starts with the part for the last cell that a point touches; every part is passed along the threads to
  // its own cell.
  Complex<T> sum{0, 0};
  for (int l = reach; l >= 0; --l) {
    if (l < reach) {
      if (lane == 31) shared.passed[warp][l] = sum;
      sum.re = __shfl_up_sync(~0u, sum.re, 1);
      sum.im = __shfl_up_sync(~0u, sum.im, 1);
      if (lane == 0) sum = {0, 0};
    }
    const T* c = shared.coefficients + l * kept;
#pragma unroll
    for (int n = 0; n < kept; ++n) {
      sum.re += c[n] * moment[n].re;
      sum.im += c[n] * moment[n].im;
    }
  }
  __syncthreads();
  if (warp > 0 && lane < reach) {
    const Complex<T> part = shared.passed[warp - 1][lane];
    sum = {sum.re + part.re, sum.im + part.im};
  }
  if (static_cast<int>(threadIdx.x) >= reach && cell < points.cells) task.grid[cell] = sum;
}

// The kernels for a number of moments, found by counting up.
template <typename T, int kept = 4>
void launch(const CellMomentTask<T>& task, larmor::cuda::Stream stream) {
  if (task.points.degree + 1 > kept) {
    if constexpr (kept < most_kept) launch<T, kept + 2>(task, stream);
    return;
  }
  larmor::cuda::allow_shared_bytes(cell_moment_kernel<T, kept>, sizeof(Shared<T>));
  const int own = threads - task.points.width + 1;
  const auto blocks = static_cast<unsigned>((task.points.cells + own - 1) / own);
  cell_moment_kernel<T, kept><<<blocks, threads, sizeof(Shared<T>), stream>>>(task);
  larmor::cuda::check_launch("spread_cell_moments");
}

}  // namespace

template <typename T>
CellPoints<T> cell_moment_sizes(const Points<T>& points) {
  CellPoints<T> sizes{};
  sizes.set_sizes(points);
  sizes.split(sizes.samples, 1);
  return sizes;
}

template <typename T>
void spread_cell_moments(const CellPoints<T>& points, const std::complex<T>* samples, const T* weights,
                         std::complex<T>* grid, larmor::cuda::Stream stream) {
  launch<T>(
      {points, reinterpret_cast<const Complex<T>*>(samples), weights, reinterpret_cast<Complex<T>*>(grid)},
      stream);
}

#define LARMOR_INSTANTIATE(T)                                                               \
  template CellPoints<T> cell_moment_sizes(const Points<T>&);                               \
  template void spread_cell_moments(const CellPoints<T>&, const std::complex<T>*, const T*, \
                                    std::complex<T>*, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
