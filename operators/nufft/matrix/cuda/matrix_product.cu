#include <larmor/core/math/cuda/small_dft.cuh>
#include <larmor/operators/nufft/matrix/cuda/matrix_product.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {
namespace {

using larmor::cuda::Complex;

constexpr int threads = 256, warp = 32;

// One warp per row: consecutive threads take consecutive lanes, then entries; partial sums over entries are
// added in a fixed order. store(row, lane, value) receives the result.
template <int lanes, typename T, typename Store>
__device__ __forceinline__ void multiply(const DeviceMatrix<T>& matrix, const Complex<T>* __restrict__ in,
                                         const Store& store) {
  constexpr int slots = warp / lanes;
  const int thread = static_cast<int>(threadIdx.x) % warp, lane = thread % lanes, slot = thread / lanes;
  const std::int64_t row = (std::int64_t{blockIdx.x} * threads + threadIdx.x) / warp;
  if (row >= matrix.rows) return;
  const std::int64_t begin = matrix.start ? matrix.start[row] : row * matrix.length,
                     end = matrix.start ? matrix.start[row + 1] : begin + matrix.length;
  Complex<T> sum{0, 0};
  for (std::int64_t e = begin + slot; e < end; e += slots)
    sum = sum + in[std::int64_t{matrix.columns[e]} * lanes + lane] * matrix.weights[e];
  for (int step = warp / 2; step >= lanes; step /= 2) {
    sum.re += __shfl_down_sync(~0u, sum.re, step);
    sum.im += __shfl_down_sync(~0u, sum.im, step);
  }
  if (slot == 0) store(row, lane, sum);
}

template <int lanes, typename T>
__global__ void __launch_bounds__(threads)
    to_samples_kernel(DeviceMatrix<T> matrix, const Complex<T>* grid, const std::int32_t* order,
                      const T* weights, Complex<T>* samples, std::int64_t count, bool accumulate) {
  multiply<lanes>(matrix, grid, [&](std::int64_t row, int lane, Complex<T> sum) {
    if (lane >= count) return;
    const std::int64_t j = order[row];
    Complex<T>& to = samples[lane * matrix.rows + j];
    if (weights) sum = sum * weights[j];
    to = accumulate ? to + sum : sum;
  });
}

template <int lanes, typename T>
__global__ void __launch_bounds__(threads)
    to_grid_kernel(DeviceMatrix<T> matrix, const Complex<T>* values, Complex<T>* grid) {
  multiply<lanes>(matrix, values,
                  [&](std::int64_t row, int lane, Complex<T> sum) { grid[row * lanes + lane] = sum; });
}

template <typename T>
__global__ void __launch_bounds__(threads)
    sort_kernel(const Complex<T>* samples, std::int64_t count, std::int64_t rows, const std::int32_t* order,
                const T* weights, Complex<T>* values, int lanes) {
  const std::int64_t at = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (at >= rows * lanes) return;
  const std::int64_t row = at / lanes, lane = at - row * lanes, j = order[row];
  Complex<T> value{0, 0};
  if (lane < count) value = samples[lane * rows + j];
  values[at] = weights ? value * weights[j] : value;
}

unsigned blocks_of(std::int64_t work) {
  return static_cast<unsigned>((work + threads - 1) / threads);
}

// Calls body(std::integral_constant) with the number of lanes.
template <typename Body>
void with_lanes(int lanes, const Body& body) {
  if (lanes == 1)
    body(std::integral_constant<int, 1>{});
  else if (lanes == 4)
    body(std::integral_constant<int, 4>{});
  else
    body(std::integral_constant<int, 8>{});
}

template <typename T>
auto values_of(std::complex<T>* values) {
  return reinterpret_cast<Complex<T>*>(values);
}
template <typename T>
auto values_of(const std::complex<T>* values) {
  return reinterpret_cast<const Complex<T>*>(values);
}

}  // namespace

template <typename T>
void multiply_to_samples(const DeviceMatrix<T>& matrix, const std::complex<T>* grid,
                         const std::int32_t* order, const T* weights, std::complex<T>* samples,
                         std::int64_t count, int lanes, bool accumulate, larmor::cuda::Stream stream) {
  if (matrix.rows == 0) return;
  with_lanes(lanes, [&](auto constant) {
    to_samples_kernel<decltype(constant)::value><<<blocks_of(matrix.rows * warp), threads, 0, stream>>>(
        matrix, values_of(grid), order, weights, values_of(samples), count, accumulate);
  });
  larmor::cuda::check_launch("multiply_to_samples");
}

template <typename T>
void multiply_to_grid(const DeviceMatrix<T>& matrix, const std::complex<T>* values, std::complex<T>* grid,
                      int lanes, larmor::cuda::Stream stream) {
  if (matrix.rows == 0) return;
  with_lanes(lanes, [&](auto constant) {
    to_grid_kernel<decltype(constant)::value>
        <<<blocks_of(matrix.rows * warp), threads, 0, stream>>>(matrix, values_of(values), values_of(grid));
  });
  larmor::cuda::check_launch("multiply_to_grid");
}

template <typename T>
void sort_samples(const std::complex<T>* samples, std::int64_t count, std::int64_t rows,
                  const std::int32_t* order, const T* weights, std::complex<T>* values, int lanes,
                  larmor::cuda::Stream stream) {
  if (rows == 0) return;
  sort_kernel<<<blocks_of(rows * lanes), threads, 0, stream>>>(values_of(samples), count, rows, order,
                                                               weights, values_of(values), lanes);
  larmor::cuda::check_launch("sort_samples");
}

#define LARMOR_INSTANTIATE(T)                                                                               \
  template void multiply_to_samples<T>(const DeviceMatrix<T>&, const std::complex<T>*, const std::int32_t*, \
                                       const T*, std::complex<T>*, std::int64_t, int, bool,                 \
                                       larmor::cuda::Stream);                                               \
  template void multiply_to_grid<T>(const DeviceMatrix<T>&, const std::complex<T>*, std::complex<T>*, int,  \
                                    larmor::cuda::Stream);                                                  \
  template void sort_samples<T>(const std::complex<T>*, std::int64_t, std::int64_t, const std::int32_t*,    \
                                const T*, std::complex<T>*, int, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
