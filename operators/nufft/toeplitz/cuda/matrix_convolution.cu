#include <larmor/operators/nufft/toeplitz/cuda/matrix_convolution.hpp>

#include <larmor/core/cuda/complex_value.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t n, int per_block = threads) {
  const std::int64_t blocks = (n + per_block - 1) / per_block;
  return static_cast<unsigned>(blocks < 1 << 30 ? blocks : 1 << 30);
}
__device__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() {
  return std::int64_t{gridDim.x} * blockDim.x;
}

template <typename T>
__global__ void pad_kernel(MatrixGrid g, const ComplexValue<T>* x, const ComplexValue<T>* maps,
                           ComplexValue<T>* grid, std::int64_t n) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    const std::int64_t cell = i % g.cells(), image = i / g.cells();
    const std::int64_t column = cell % g.padded[0], line = cell / g.padded[0];
    const std::int64_t y = line % g.padded[1], z = line / g.padded[1];
    ComplexValue<T> value{0, 0};
    if (column < g.image[0] && y < g.image[1] && z < g.image[2]) {
      const std::int64_t pixel = (z * g.image[1] + y) * g.image[0] + column;
      const std::int64_t term = image % g.terms, coil = g.first + image / g.terms;
      if (maps == nullptr) {
        value = x[(term * g.coils + coil) * g.pixels() + pixel];
      } else {
        const ComplexValue<T> m = maps[coil * g.pixels() + pixel], v = x[term * g.pixels() + pixel];
        value = {m.re * v.re - m.im * v.im, m.re * v.im + m.im * v.re};
      }
    }
    grid[i] = value;
  }
}

template <typename T>
__global__ void crop_kernel(MatrixGrid g, const ComplexValue<T>* grid, const ComplexValue<T>* maps,
                            ComplexValue<T>* y, std::int64_t n, bool accumulate) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    const std::int64_t pixel = i % g.pixels(), image = i / g.pixels();
    const std::int64_t column = pixel % g.image[0], line = pixel / g.image[0];
    const std::int64_t cell = (line / g.image[1] * g.padded[1] + line % g.image[1]) * g.padded[0] + column;
    if (maps == nullptr) {
      const std::int64_t term = image % g.terms, c = image / g.terms;
      const ComplexValue<T> value = grid[(c * g.terms + term) * g.cells() + cell];
      ComplexValue<T>& out = y[(term * g.coils + g.first + c) * g.pixels() + pixel];
      out = accumulate ? ComplexValue<T>{out.re + value.re, out.im + value.im} : value;
      continue;
    }
    ComplexValue<T> sum = accumulate ? y[i] : ComplexValue<T>{0, 0};
    for (std::int64_t c = 0; c < g.together; ++c) {
      const ComplexValue<T> m = maps[(g.first + c) * g.pixels() + pixel];
      const ComplexValue<T> value = grid[(c * g.terms + image) * g.cells() + cell];
      sum.re += m.re * value.re + m.im * value.im;
      sum.im += m.re * value.im - m.im * value.re;
    }
    y[i] = sum;
  }
}

// Each thread keeps the values of one frequency in its own column of shared memory.
template <typename T>
__global__ void multiply_kernel(MatrixGrid g, HermitianPairs pairs, const T* spectra, ComplexValue<T>* grid) {
  extern __shared__ unsigned char memory[];
  ComplexValue<T>* values = reinterpret_cast<ComplexValue<T>*>(memory) + threadIdx.x;
  const std::int64_t cells = g.cells();
  for (std::int64_t f = first_index(); f < cells; f += index_step())
    for (std::int64_t c = 0; c < g.together; ++c) {
      ComplexValue<T>* at = grid + c * g.terms * cells + f;
      for (int m = 0; m < g.terms; ++m) values[m * blockDim.x] = at[m * cells];
      for (int l = 0; l < g.terms; ++l) {
        ComplexValue<T> sum{0, 0};
        for (int m = 0; m < g.terms; ++m) {
          const int low = l < m ? l : m, high = l < m ? m : l;
          const ComplexValue<T> value = values[m * blockDim.x];
          const T re = spectra[pairs.real_part(low, high) * cells + f];
          sum.re += re * value.re;
          sum.im += re * value.im;
          if (pairs.real || l == m) continue;
          const T part = spectra[pairs.imaginary_part(low, high) * cells + f];
          const T im = l < m ? part : -part;
          sum.re -= im * value.im;
          sum.im += im * value.re;
        }
        at[l * cells] = sum;
      }
    }
}

template <typename T>
__global__ void transpose_kernel(const T* in, T* out, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = first_index(); i < rows * columns; i += index_step())
    out[i] = in[i % rows * columns + i / rows];
}

}  // namespace

template <typename T>
void pad_images(const MatrixGrid& shape, const std::complex<T>* x, const std::complex<T>* maps,
                std::complex<T>* grid, larmor::cuda::Stream stream) {
  const std::int64_t n = shape.together * shape.terms * shape.cells();
  pad_kernel<T><<<blocks_for(n), threads, 0, stream>>>(shape, complex_values(x), complex_values(maps),
                                                       complex_values(grid), n);
  larmor::cuda::check_launch("pad_images");
}

template <typename T>
void crop_images(const MatrixGrid& shape, const std::complex<T>* grid, const std::complex<T>* maps,
                 std::complex<T>* y, bool accumulate, larmor::cuda::Stream stream) {
  const std::int64_t n = (maps == nullptr ? shape.together : 1) * shape.terms * shape.pixels();
  crop_kernel<T><<<blocks_for(n), threads, 0, stream>>>(shape, complex_values(grid), complex_values(maps),
                                                        complex_values(y), n, accumulate);
  larmor::cuda::check_launch("crop_images");
}

template <typename T>
void multiply_matrix(const MatrixGrid& shape, const HermitianPairs& pairs, const T* spectra,
                     std::complex<T>* grid, larmor::cuda::Stream stream) {
  // At most 48 KiB of shared memory: 64 terms of 32 threads in double need 32.
  const int width = shape.terms <= 8 ? 128 : shape.terms <= 24 ? 64 : 32;
  const std::size_t shared = static_cast<std::size_t>(width * shape.terms) * sizeof(ComplexValue<T>);
  multiply_kernel<T><<<blocks_for(shape.cells(), width), width, shared, stream>>>(shape, pairs, spectra,
                                                                                  complex_values(grid));
  larmor::cuda::check_launch("multiply_matrix");
}

template <typename T>
void transpose(const T* in, T* out, std::int64_t rows, std::int64_t columns, larmor::cuda::Stream stream) {
  transpose_kernel<T><<<blocks_for(rows * columns), threads, 0, stream>>>(in, out, rows, columns);
  larmor::cuda::check_launch("transpose");
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template void pad_images<T>(const MatrixGrid&, const std::complex<T>*, const std::complex<T>*,         \
                              std::complex<T>*, larmor::cuda::Stream);                                   \
  template void crop_images<T>(const MatrixGrid&, const std::complex<T>*, const std::complex<T>*,        \
                               std::complex<T>*, bool, larmor::cuda::Stream);                            \
  template void multiply_matrix<T>(const MatrixGrid&, const HermitianPairs&, const T*, std::complex<T>*, \
                                   larmor::cuda::Stream);                                                \
  template void transpose<T>(const T*, T*, std::int64_t, std::int64_t, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
