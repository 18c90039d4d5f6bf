#pragma once

#include <larmor/core/math/line_pass.hpp>
#include <larmor/operators/nufft/kernel/coils.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

namespace larmor::nufft {

/// The convolution on a CPU: blocks of coils on a grid with the coils fastest, for each term, line by line.
/// Along the outermost axis, a few neighbouring lines of all terms are padded, transformed, multiplied by the
/// spectra and transformed back while they are in cache.
template <typename T>
class CpuToeplitzKernel final : public ToeplitzKernel<T> {
 public:
  using C = std::complex<T>;
  CpuToeplitzKernel(SharedSpectra<T> spectra, Index coils);

  std::size_t scratch_bytes(const Context& ctx, Index coils) const override;
  static std::size_t scratch_bytes(const ToeplitzSizes& sizes, Index terms, Index coils, int threads);

 private:
  struct Passes {
    LinePass<T> x, y, outer;
  };
  /// Adjacent lines, from `first` on in the plane of inner frequencies.
  struct Block {
    Index first = 0, count = 0;
    int lanes = 1;
  };
  /// body(first coil, coils, lanes)
  template <typename Body>
  static void for_blocks(Index terms, Index coils, const Body& body);
  void run(const C* x, const C* maps, C* y, Index coils, bool accumulate, const ImageWindow& window,
           Context& ctx) const override;
  void multiply(const C* in, C* out, Index pitch, const Block& block) const;
  /// Convolves a block of coils of a volume or of some planes. load(term, row, lines, pitch) writes an image
  /// row of each lane, pixel x of lane c at lines[c·pitch + x]; store(term, row, lines, pitch) receives the
  /// result.
  template <typename Load, typename Store>
  void run_block(int lanes, Index planes, const Load& load, const Store& store, Context& ctx) const;
  template <typename Load, typename Store>
  void run_line(int lanes, const Load& load, const Store& store, Context& ctx) const;

  std::array<Passes, 3> passes_;
};

}  // namespace larmor::nufft
