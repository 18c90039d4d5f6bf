#pragma once

#include <larmor/operators/nufft/grid/long_line.hpp>

namespace larmor::nufft {

/// The transform of a line of real values by one of half the length: even and odd cells are real and
/// imaginary parts of a line of n / 2 values, whose transform is taken apart by symmetry (Cooley, Lewis and
/// Welch 1970). The image is Hermitian: pixel −x is the conjugate of pixel x.
template <typename T>
class RealLine {
 public:
  using C = std::complex<T>;
  RealLine() = default;
  /// An even number of grid cells, more than pixels.
  RealLine(Index image, Index grid);

  /// Complex values that a call needs beside the grid, and those that each thread needs.
  Index work_size() const { return half_; }
  Index buffer_size() const { return long_line_.buffer_size(); }

  /// image (+)= scale · factor(pixel) · Σ_j Re(grid_j) e^{+2πi j·pixel/n}, pixels from −⌊N/2⌋. The grid is
  /// overwritten. factors are those of an even function of the pixel.
  void to_image(C* grid, const T* factors, T scale, C* image, bool accumulate, View<C> work, View<C> buffers,
                Context& ctx) const;

 private:
  Index image_ = 0, half_ = 0;
  LongLine<T> long_line_;  // of half the length, or
  LineFft<T> short_line_;
};

}  // namespace larmor::nufft
