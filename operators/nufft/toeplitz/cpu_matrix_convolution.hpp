#pragma once

#include <larmor/core/math/line_pass.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

namespace larmor::nufft {

/// The convolution on a CPU, a coil at a time: inner axes are padded and transformed on a grid [terms][…];
/// along the outermost one some neighbouring lines of all terms are padded, transformed, multiplied with the
/// matrix and transformed back while they are in cache.
template <typename T>
class CpuMatrixKernel final : public ToeplitzKernel<T> {
 public:
  using C = std::complex<T>;
  CpuMatrixKernel(const Shape& image, SharedSpectra<T> spectra);
  std::size_t scratch_bytes(const Context& ctx, Index coils) const override;
  static std::size_t scratch_bytes(const Shape& image, Index terms, int threads);

 private:
  void run(const C* x, const C* maps, C* y, Index coils, bool accumulate, const ImageWindow& window,
           Context& ctx) const override;
  void rows_to_grid(const C* x, Index term_stride, const C* map, C* grid, View<C> buffers,
                    Context& ctx) const;
  void grid_to_rows(const C* grid, const C* map, C* y, Index term_stride, bool accumulate, View<C> buffers,
                    Context& ctx) const;
  void planes(C* grid, bool forward, View<C> buffers, Context& ctx) const;
  void outer_lines(C* grid, View<C> buffers, Context& ctx) const;
  void multiply(const C* in, C* out, Index first, Index count) const;

  Index terms_;
  LinePass<T> x_, y_, outer_;
};

}  // namespace larmor::nufft
