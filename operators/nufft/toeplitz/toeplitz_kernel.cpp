#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/operators/nufft/kernel/coils.hpp>
#include <larmor/operators/nufft/toeplitz/cpu_toeplitz.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/toeplitz_kernel.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

namespace larmor::nufft {
namespace {

Index fast_length(Index n, const Device& device) {
  if constexpr (larmor::cuda::built)
    if (device.on_gpu()) return cuda_fast_length(n);
  return fast_fft_size(n);
}

}  // namespace

ToeplitzSizes::ToeplitzSizes(const Shape& shape, const Device& device) : dims(shape.rank()) {
  if (dims < 1 || dims > 3)
    throw usage_error("Toeplitz: image of shape {}, expected 1 to 3 axes", shape.to_string());
  for (int a = 0; a < dims; ++a) {
    image[a] = shape[dims - 1 - a];
    padded[a] = image[a] > 1 ? fast_length(2 * image[a], device) : 1;
    grid[a] = a == dims - 1 ? image[a] : padded[a];
  }
}

template <typename T>
std::shared_ptr<const ToeplitzKernel<T>> make_toeplitz_kernel(const Shape& image, SharedSpectra<T> spectra,
                                                              Index coils, const Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) {
      if (spectra->pairs.size > 1)
        return make_cuda_matrix_kernel<T>(image, std::move(spectra), coils, ctx.device());
      return std::make_shared<const CudaToeplitzKernel<T>>(image, std::move(spectra), coils, ctx.device());
    }
  return std::make_shared<const CpuToeplitzKernel<T>>(image, std::move(spectra), coils);
}

template <typename T>
std::size_t toeplitz_scratch_bytes(const Shape& image, Index terms, Index coils, const Context& ctx) {
  const ToeplitzSizes sizes(image, ctx.device());
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) {
      if (terms > 1) return cuda_matrix_scratch_bytes<T>(image, terms, coils, ctx);
      return CudaToeplitzKernel<T>::scratch_bytes(sizes, coils);
    }
  return CpuToeplitzKernel<T>::scratch_bytes(sizes, terms, coils, ctx.threads());
}

#define LARMOR_INSTANTIATE(T)                                                                               \
  template std::shared_ptr<const ToeplitzKernel<T>> make_toeplitz_kernel<T>(const Shape&, SharedSpectra<T>, \
                                                                            Index, const Context&);         \
  template std::size_t toeplitz_scratch_bytes<T>(const Shape&, Index, Index, const Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
