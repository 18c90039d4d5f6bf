#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>
#include <larmor/operators/nufft/kernel/kernel_series.hpp>

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Method of interpolation between samples and grid.
enum class NufftMethod {
  gridding,  ///< kernels are evaluated in every apply, points sorted once
  matrix,    ///< interpolation as a sparse matrix, made once: needs more memory and set-up time
};
std::string to_string(NufftMethod method);

}  // namespace larmor

namespace LARMOR_API larmor {
namespace nufft {

/// Widest kernel, in grid cells, for which spreading and interpolation are compiled.
template <typename T>
inline constexpr int max_width = sizeof(T) == 4 ? 10 : 16;
inline constexpr int min_width = 3;
/// Highest degree of a kernel's polynomials: beyond it, rounding of the powers outweighs the gain.
inline constexpr int highest_degree = 16;

/// Errors of gridding along one axis of an image, for a given oversampling.
struct GriddingError {
  double mean;           ///< aliasing error relative to the signal, root mean square over the axis
  double edge;           ///< aliasing error of the outermost pixel, the largest
  double amplification;  ///< φ̂(0)/φ̂(ξ), by which deapodisation amplifies rounding: root mean square
  double amplification_at_edge;

  /// Aliasing error of an axis of `pixels` pixels, one of which is on the edge.
  double of_pixels(Index pixels) const;
};

/// The gridding kernel φ(x), even, φ(0) = 1, zero beyond |x| = w/2 grid cells: the prolate spheroidal wave
/// function of order zero of t = 2x/w, which has the smallest aliasing error. Its bandwidth β follows from
/// width and oversampling.
class Kernel {
 public:
  Kernel(int width, double oversampling);

  int width() const { return width_; }
  double beta() const { return beta_; }
  double operator()(double cells) const;
  /// ∫ φ(x) exp(−2πi ξx) dx, ξ in cycles per grid cell, |ξ| <= 4.
  double transform(double frequency) const;
  GriddingError error(double oversampling) const;

 private:
  std::vector<double> at_nodes() const;

  int width_;
  double beta_;
  std::vector<double> series_;  // even Legendre polynomials of t
  double peak_;
  std::vector<double> node_, weight_;        // quadrature of the transform
  std::vector<std::complex<double>> phase_;  // exp(2πi node)
};

/// The transform of a kernel as a series for |ξ| <= a highest frequency, accurate to rounding: much faster
/// than quadratures for long axes and lists of frequencies.
ChebyshevSeries kernel_transform(const Kernel& kernel, double highest_frequency);

/// φ at the w cells that a point touches, as polynomials of the point's fraction f in [0, 1): cell l is at l
/// + f − w/2 from the point. coefficients[(degree − p) · stride + l] belongs to u^p, u = 2f − 1, so that
/// Horner's scheme runs over l in vector registers.
template <typename T>
struct KernelPolynomials {
  int width = 0, degree = 0, stride = 0;
  std::vector<T> coefficients;
};

/// Piecewise polynomials with a maximum error of about `accuracy` relative to φ(0).
template <typename T>
KernelPolynomials<T> fit(const Kernel& kernel, double accuracy);

/// Number of vector lanes to which the coefficients of a kernel of this width are padded.
constexpr int padded_width(int width) {
  return width <= 4 ? 4 : width <= 8 ? 8 : 16;
}

}  // namespace nufft
}  // namespace larmor
