#pragma once

#include <larmor/core/math/line_pass.hpp>
#include <larmor/operators/nufft/kernel/coils.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

#include <vector>

namespace larmor::nufft {

/// The convolution on a CPU: blocks of coils on a grid with the coils fastest, line by line.
template <typename T>
class CpuToeplitzKernel final : public ToeplitzKernel<T> {
 public:
  using C = std::complex<T>;
  CpuToeplitzKernel(const Shape& image, ToeplitzForm form, SharedSpectra<T> spectra, Index coils);

  std::size_t scratch_bytes(const Context& ctx, Index coils) const override;
  static std::size_t scratch_bytes(const ToeplitzSizes& sizes, int lanes, int threads);

 private:
  struct Passes {
    LinePass<T> x, y, outer;
  };
  const Passes& passes(int lanes) const { return passes_[lanes_index(lanes)]; }
  void run(const C* x, const C* maps, C* y, Index coils, bool accumulate, const ImageWindow& window,
           Context& ctx) const override;
  void multiply(C* lines, Index first, Index count, int lanes, int parity_x, int parity_y) const;
  /// Convolves a block of coils. load(row, lines, pitch) writes an image row of each lane, pixel x of lane c
  /// at lines[c·pitch + x]; store(row, lines, pitch, first) takes the result, `first` telling overwrite from
  /// accumulate.
  template <typename Load, typename Store>
  void run_block(int lanes, const Load& load, const Store& store, Context& ctx) const;

  std::array<Passes, 3> passes_;
  std::array<std::vector<C>, 2> phase_;  // exp(−πi n/H) of the inner axes, low memory only
};

}  // namespace larmor::nufft
