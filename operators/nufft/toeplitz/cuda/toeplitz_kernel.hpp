#pragma once

#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

namespace larmor::nufft {

/// A length >= n that the device's own line transforms like.
Index cuda_fast_length(Index n);

/// The convolution on a CUDA device: three passes in 2D, five in 3D, coil maps and coil sum within them.
template <typename T>
class CudaToeplitzKernel final : public ToeplitzKernel<T> {
 public:
  using C = std::complex<T>;
  CudaToeplitzKernel(const Shape& image, ToeplitzForm form, Spectrum<T> spectrum, Index coils,
                     const Device& device);
  ~CudaToeplitzKernel() override;

  std::size_t scratch_bytes(const Context& ctx, Index coils) const override;
  void convolve(const C* x, C* y, Index coils, bool accumulate, Context& ctx) const override;
  void sense(const C* x, const C* maps, C* y, Index coils, bool accumulate, Context& ctx) const override;

  static std::size_t scratch_bytes(const ToeplitzSizes& sizes, Index coils);

 private:
  void run(const C* x, const C* maps, C* y, Index coils, bool accumulate, Context& ctx) const;

  struct Tables;
  std::unique_ptr<const Tables> tables_;
};

}  // namespace larmor::nufft
