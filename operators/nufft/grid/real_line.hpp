#pragma once

#include <larmor/operators/nufft/grid/long_line.hpp>

namespace larmor::nufft {

/// The transform of a line of real values by a complex transform of half the length: even and odd cells
/// become real and imaginary parts of a line of n / 2 values, and symmetry separates their transforms
/// (Cooley, Lewis and Welch 1970). The image is Hermitian: pixel −x is the conjugate of pixel x.
template <typename T>
class RealLine {
 public:
  using C = std::complex<T>;
  RealLine() = default;
  /// `grid` is an even number of cells, greater than `pixels`.
  RealLine(Index image, Index grid);

  /// Complex values that a call needs in addition to the grid, and complex values per thread.
  Index work_size() const { return half_; }
  Index buffer_size() const { return long_line_.buffer_size(); }

  /// image (+)= scale · factor(pixel) · Σ_j Re(grid_j) e^{+2πi j·pixel/n}, pixels from −⌊N/2⌋. The grid is
  /// overwritten. `factors` must be an even function of the pixel.
  void to_image(C* grid, const T* factors, T scale, C* image, bool accumulate, View<C> work, View<C> buffers,
                Context& ctx) const;

 private:
  Index image_ = 0, half_ = 0;
  LongLine<T> long_line_;  // one of the two is used; half the length of the line
  LineFft<T> short_line_;
};

}  // namespace larmor::nufft
