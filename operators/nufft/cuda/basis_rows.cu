#include <larmor/operators/nufft/cuda/basis_rows.hpp>

#include <larmor/core/cuda/complex_value.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 256;

dim3 blocks_for(std::int64_t samples, std::int64_t coils) {
  const std::int64_t blocks = (samples + threads - 1) / threads;
  return dim3(static_cast<unsigned>(blocks < 1 << 20 ? blocks : 1 << 20),
              static_cast<unsigned>(coils < 1 << 15 ? coils : 1 << 15));
}

template <typename T>
__global__ void combine_kernel(const ComplexValue<T>* b, const ComplexValue<T>* s, ComplexValue<T>* y,
                               std::int64_t terms, std::int64_t coils, std::int64_t samples,
                               bool accumulate) {
  for (std::int64_t c = blockIdx.y; c < coils; c += gridDim.y)
    for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < samples;
         j += std::int64_t{gridDim.x} * threads) {
      ComplexValue<T> sum = accumulate ? y[c * samples + j] : ComplexValue<T>{0, 0};
      for (std::int64_t l = 0; l < terms; ++l) {
        const ComplexValue<T> w = b[l * samples + j], value = s[(l * coils + c) * samples + j];
        sum.re += w.re * value.re - w.im * value.im;
        sum.im += w.re * value.im + w.im * value.re;
      }
      y[c * samples + j] = sum;
    }
}

template <typename T>
__global__ void spread_kernel(const ComplexValue<T>* b, const ComplexValue<T>* y, ComplexValue<T>* s,
                              std::int64_t terms, std::int64_t coils, std::int64_t samples) {
  for (std::int64_t c = blockIdx.y; c < coils; c += gridDim.y)
    for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < samples;
         j += std::int64_t{gridDim.x} * threads) {
      const ComplexValue<T> value = y[c * samples + j];
      for (std::int64_t l = 0; l < terms; ++l) {
        const ComplexValue<T> w = b[l * samples + j];
        s[(l * coils + c) * samples + j] = {w.re * value.re + w.im * value.im,
                                            w.re * value.im - w.im * value.re};
      }
    }
}

}  // namespace

template <typename T>
void combine_rows(const std::complex<T>* b, const std::complex<T>* s, std::complex<T>* y, std::int64_t terms,
                  std::int64_t coils, std::int64_t samples, bool accumulate, larmor::cuda::Stream stream) {
  if (samples == 0) return;
  combine_kernel<T><<<blocks_for(samples, coils), threads, 0, stream>>>(
      complex_values(b), complex_values(s), complex_values(y), terms, coils, samples, accumulate);
  larmor::cuda::check_launch("combine_rows");
}

template <typename T>
void spread_rows(const std::complex<T>* b, const std::complex<T>* y, std::complex<T>* s, std::int64_t terms,
                 std::int64_t coils, std::int64_t samples, larmor::cuda::Stream stream) {
  if (samples == 0) return;
  spread_kernel<T><<<blocks_for(samples, coils), threads, 0, stream>>>(
      complex_values(b), complex_values(y), complex_values(s), terms, coils, samples);
  larmor::cuda::check_launch("spread_rows");
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template void combine_rows<T>(const std::complex<T>*, const std::complex<T>*, std::complex<T>*,      \
                                std::int64_t, std::int64_t, std::int64_t, bool, larmor::cuda::Stream); \
  template void spread_rows<T>(const std::complex<T>*, const std::complex<T>*, std::complex<T>*,       \
                               std::int64_t, std::int64_t, std::int64_t, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
