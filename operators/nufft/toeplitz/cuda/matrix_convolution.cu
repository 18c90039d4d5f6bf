#include <larmor/core/vectors/cuda/for_each.cuh>
#include <larmor/operators/nufft/toeplitz/cuda/matrix_convolution.hpp>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

__device__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() {
  return std::int64_t{gridDim.x} * blockDim.x;
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

}  // namespace

template <typename T>
void multiply_matrix(const MatrixGrid& shape, const HermitianPairs& pairs, const T* spectra,
                     std::complex<T>* grid, larmor::cuda::Stream stream) {
  // At most 48 KiB of shared memory: 64 terms with 32 threads in double need 32 KiB.
  const int width = shape.terms <= 8 ? 128 : shape.terms <= 24 ? 64 : 32;
  const std::size_t shared = static_cast<std::size_t>(width * shape.terms) * sizeof(ComplexValue<T>);
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>((shape.cells() + width - 1) / width, 1 << 30));
  multiply_kernel<T><<<blocks, width, shared, stream>>>(shape, pairs, spectra, complex_values(grid));
  larmor::cuda::check_launch("multiply_matrix");
}

template void multiply_matrix<float>(const MatrixGrid&, const HermitianPairs&, const float*,
                                     std::complex<float>*, larmor::cuda::Stream);
template void multiply_matrix<double>(const MatrixGrid&, const HermitianPairs&, const double*,
                                      std::complex<double>*, larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda

namespace larmor::cuda {

#define LARMOR_INSTANTIATE(T)                                                \
  template void for_each(const nufft::PadImages<T>&, std::int64_t, Stream);  \
  template void for_each(const nufft::CropImages<T>&, std::int64_t, Stream); \
  template void for_each(const nufft::Transpose<T>&, std::int64_t, Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::cuda
