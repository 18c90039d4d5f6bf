#include <larmor/operators/nufft/spread/cuda/line/cell_moments.hpp>
#include <larmor/operators/nufft/spread/cuda/points/kernel_coefficients.cuh>

#include <larmor/core/cuda/device_attribute.cuh>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 128;
constexpr int points_of_thread = 8, chunk = threads * points_of_thread;  // points in shared memory at a time
constexpr int widest = 16, most_powers = 18;                             // polynomials have degrees up to 16

template <typename T>
struct CellPolynomialTask {
  BinnedPoints<T> points;
  const Complex<T>* grid;
  Complex<T>* samples;
  const std::uint32_t* places;
  const T* weights;
  bool accumulate;
};

template <typename T>
struct Shared {
  Complex<T> value[chunk];
  T offset[chunk];
  Complex<T> grid[threads + widest - 1];
  T coefficients[widest * most_powers];  ///< [cell of the kernel][power]
};

// Brings the values of `count` points to their places.
template <typename T>
__device__ void scatter(const CellPolynomialTask<T>& task, const std::uint32_t (&places)[points_of_thread],
                        int count, const Shared<T>& shared) {
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) {
    const int p = k * threads + static_cast<int>(threadIdx.x);
    if (p >= count) return;
    Complex<T> value = shared.value[p];
    if (task.weights) {
      const T weight = task.weights[places[k]];
      value = {weight * value.re, weight * value.im};
    }
    Complex<T>& to = task.samples[places[k]];
    if (task.accumulate) value = {to.re + value.re, to.im + value.im};
    to = value;
  }
}

template <typename T, int powers>
__global__ void __launch_bounds__(threads, sizeof(T) == 4 ? 8
                                           : powers <= 14 ? 5
                                                          : 4)
    cell_polynomial_kernel(const __grid_constant__ CellPolynomialTask<T> task) {
  extern __shared__ __align__(16) unsigned char memory[];
  Shared<T>& shared = *reinterpret_cast<Shared<T>*>(memory);
  const BinnedPoints<T>& points = task.points;
  const int first = static_cast<int>(blockIdx.x) * threads, cell = first + static_cast<int>(threadIdx.x);
  for (int i = threadIdx.x; i < points.width * powers; i += threads) {
    const int l = i / powers, n = i - l * powers;
    shared.coefficients[i] =
        n <= points.degree ? points.coefficients[(points.degree - n) * points.stride + l] : T(0);
  }
  for (int i = threadIdx.x; i < threads + points.width - 1; i += threads) {
    int at = first + i;
    while (at >= points.cells) at -= points.cells;
    shared.grid[i] = task.grid[at];
  }
  int begin = 0, end = 0;
  if (cell < points.cells) begin = points.start[cell], end = points.start[cell + 1];
  __syncthreads();

  Complex<T> polynomial[powers] = {};
  for (int l = 0; l < points.width; ++l) {
    const Complex<T> value = shared.grid[threadIdx.x + l];
    const T* c = shared.coefficients + l * powers;
#pragma unroll
    for (int n = 0; n < powers; ++n) {
      polynomial[n].re += c[n] * value.re;
      polynomial[n].im += c[n] * value.im;
    }
  }
  const int last = points.start[min(first + threads, static_cast<int>(points.cells))];
  for (int base = points.start[first]; base < last; base += chunk) {
    const int count = min(chunk, last - base);
    constexpr std::uint32_t sample_mask = (1u << BinnedPoints<T>::index_bits) - 1;
    T offset[points_of_thread];
    std::uint32_t place[points_of_thread];
#pragma unroll
    for (int k = 0; k < points_of_thread; ++k) {
      const int p = base + min(k * threads + static_cast<int>(threadIdx.x), count - 1);
      offset[k] = __ldcs(points.offset + p);
      place[k] = task.places ? __ldcs(task.places + p) : __ldcs(points.order + p) & sample_mask;
    }
#pragma unroll
    for (int k = 0; k < points_of_thread; ++k) shared.offset[k * threads + threadIdx.x] = offset[k];
    __syncthreads();
    const int stop = min(end, base + count) - base;
    for (int p = max(begin, base) - base; p < stop; ++p) {
      const T u = shared.offset[p];
      Complex<T> sum = polynomial[powers - 1];
#pragma unroll
      for (int n = powers - 2; n >= 0; --n) {
        sum.re = sum.re * u + polynomial[n].re;
        sum.im = sum.im * u + polynomial[n].im;
      }
      shared.value[p] = sum;
    }
    __syncthreads();
    scatter(task, place, count, shared);
  }
}

// The kernels for a number of powers, found by counting up.
template <typename T, int powers = 4>
void launch(const CellPolynomialTask<T>& task, larmor::cuda::Stream stream) {
  if (task.points.degree + 1 > powers) {
    if constexpr (powers < most_powers) launch<T, powers + 2>(task, stream);
    return;
  }
  larmor::cuda::allow_shared_bytes(cell_polynomial_kernel<T, powers>, sizeof(Shared<T>));
  const auto blocks = static_cast<unsigned>((task.points.cells + threads - 1) / threads);
  cell_polynomial_kernel<T, powers><<<blocks, threads, sizeof(Shared<T>), stream>>>(task);
  larmor::cuda::check_launch("interpolate_cell_polynomials");
}

}  // namespace

template <typename T>
void interpolate_cell_polynomials(const BinnedPoints<T>& points, const std::complex<T>* grid,
                                  std::complex<T>* samples, const std::uint32_t* places, const T* weights,
                                  bool accumulate, larmor::cuda::Stream stream) {
  launch<T>({points, reinterpret_cast<const Complex<T>*>(grid), reinterpret_cast<Complex<T>*>(samples),
             places, weights, accumulate},
            stream);
}

#define LARMOR_INSTANTIATE(T)                                                                        \
  template void interpolate_cell_polynomials(const BinnedPoints<T>&, const std::complex<T>*,         \
                                             std::complex<T>*, const std::uint32_t*, const T*, bool, \
                                             larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
