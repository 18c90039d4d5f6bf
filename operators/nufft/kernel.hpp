#pragma once

#include <larmor/core/shape.hpp>

#include <vector>

namespace larmor::nufft {

/// Widest kernel that spreading and interpolation are compiled for, in grid cells.
template <typename T>
inline constexpr int max_width = sizeof(T) == 4 ? 10 : 16;
inline constexpr int min_width = 3;

/// Kaiser-Bessel gridding kernel φ(x) = I₀(β√(1 − (2x/w)²)) / I₀(β) on |x| <= w/2 grid cells. Its transform
/// is closed form (Jackson et al. 1991, eq. 4), so deapodisation and the aliasing error need no quadrature; β
/// minimises the aliasing error for the given oversampling, close to Beatty et al. 2005, eq. 5.
class Kernel {
 public:
  /// The kernel of `width` cells with the best β for grids oversampled by `oversampling`.
  Kernel(int width, double oversampling);

  int width() const { return width_; }
  double beta() const { return beta_; }
  double operator()(double cells) const;
  /// ∫ φ(x) exp(−2πi ξx) dx, ξ in cycles per grid cell.
  double transform(double frequency) const;
  /// Root mean square over the image of the aliasing error of one axis, relative to the signal.
  double aliasing_error(double oversampling) const;

 private:
  int width_;
  double beta_, peak_;
};

/// Aliasing error of one axis (see Kernel::aliasing_error) to some per cent, in microseconds: for choosing
/// sizes.
double estimated_aliasing(int width, double oversampling);

/// φ at the w cells that a point touches, as polynomials of the point's fraction f in [0, 1): cell l of the
/// point lies at l + f − w/2 from it. coefficients[(degree − p) · stride + l] belongs to u^p, u = 2f − 1, so
/// that Horner's scheme runs over l in vector registers.
template <typename T>
struct KernelPolynomials {
  int width = 0, degree = 0, stride = 0;
  std::vector<T> coefficients;
};

/// Piecewise polynomials with a largest error of about `accuracy` relative to φ(0).
template <typename T>
KernelPolynomials<T> fit(const Kernel& kernel, double accuracy);

/// Number of vector lanes that the coefficients of a kernel of this width are padded to.
constexpr int padded_width(int width) {
  return width <= 4 ? 4 : width <= 8 ? 8 : 16;
}

}  // namespace larmor::nufft
