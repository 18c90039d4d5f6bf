#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/grid/real_line.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor::nufft {

template <typename T>
RealLine<T>::RealLine(Index image, Index grid) : image_(image), half_(grid / 2) {
  if (LongLine<T>::wanted(half_))
    long_line_ = LongLine<T>(half_, half_);
  else
    short_line_ = LineFft<T>(half_, 1, FftSign::backward);
}

template <typename T>
void RealLine<T>::to_image(C* grid, const T* factors, T scale, C* image, bool accumulate, View<C> work,
                           View<C> buffers, Context& ctx) const {
  if (long_line_.buffer_size() > 0) {
    long_line_.real_pairs(grid, work.data(), buffers, ctx);
  } else {
    for (Index j = 0; j < half_; ++j) work[j] = {grid[2 * j].real(), grid[2 * j + 1].real()};
    short_line_.execute(work.data(), grid);
  }
  // With Z the transform of e + i·o, both real: E(k) = (Z(k) + Z̄(n/2 − k))/2, O(k) = (Z(k) − Z̄(n/2 −
  // k))/2i, and the transform of all cells is E(k) + e^{2πi k/n} O(k). Eight neighbouring phases are stepped
  // together.
  constexpr Index together = 8, grain = 1024;
  const Index centre = image_ / 2;
  const double angle = std::numbers::pi / static_cast<double>(half_);
  const double step_real = std::cos(together * angle), step_imaginary = std::sin(together * angle);
  parallel_for(ctx, centre + 1, grain, [&](Index begin, Index end, int) {
    double real[together], imaginary[together];
    for (Index i = 0; i < together; ++i) {
      real[i] = std::cos(static_cast<double>(begin + i) * angle);
      imaginary[i] = std::sin(static_cast<double>(begin + i) * angle);
    }
    for (Index first = begin; first < end; first += together) {
      const Index count = std::min(together, end - first);
      for (Index i = 0; i < count; ++i) {
        const Index k = first + i;
        const C a = grid[k], b = grid[k > 0 ? half_ - k : 0];
        const T even_real = a.real() + b.real(), even_imaginary = a.imag() - b.imag();
        const T odd_real = a.imag() + b.imag(), odd_imaginary = b.real() - a.real();
        const T c = static_cast<T>(real[i]), s = static_cast<T>(imaginary[i]);
        const T factor = T(0.5) * scale * factors[centre - k];
        const C value(factor * (even_real + c * odd_real - s * odd_imaginary),
                      factor * (even_imaginary + c * odd_imaginary + s * odd_real));
        const C mirrored = std::conj(value);
        C& left = image[centre - k];
        left = accumulate ? left + mirrored : mirrored;
        if (k == 0 || centre + k >= image_) continue;
        C& right = image[centre + k];
        right = accumulate ? right + value : value;
      }
      for (Index i = 0; i < together; ++i) {
        const double rotated = real[i] * step_real - imaginary[i] * step_imaginary;
        imaginary[i] = real[i] * step_imaginary + imaginary[i] * step_real;
        real[i] = rotated;
      }
    }
  });
}

template class RealLine<float>;
template class RealLine<double>;

}  // namespace larmor::nufft
