#include <larmor/operators/nufft/kernel.hpp>

#include <cmath>
#include <numbers>

namespace larmor::nufft {
namespace {

using std::numbers::pi;

// Power series of the modified Bessel function I₀; all terms are positive, so it is accurate for every β
// here.
double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-18 * sum; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

// The transform of I₀(β√(1 − (2x/w)²)), not yet divided by I₀(β).
double kaiser_bessel_transform(double width, double beta, double frequency) {
  const double phase = pi * width * frequency;
  const double square = beta * beta - phase * phase;
  const double root = std::sqrt(std::abs(square));
  return width * (root < 1e-6 ? 1 : square > 0 ? std::sinh(root) / root : std::sin(root) / root);
}

// The best β is a little below π w (1 − 1/(2σ)), where the first alias meets the edge of the main lobe; the
// difference was fitted to the minima of the aliasing error.
double approximate_beta(double width, double oversampling) {
  const double correction = 0.45 + 0.4 * std::max(0.0, 2 - oversampling);
  return pi * width * (1 - 1 / (2 * oversampling)) * (1 - correction / (width * width));
}

// Mean over the image axis |ξ| <= 1/(2σ) of Σ_{m≠0} |φ̂(ξ+m)|² / |φ̂(ξ)|².
double mean_square_aliasing(double width, double beta, double oversampling, int nodes) {
  constexpr int aliases = 6;
  double sum = 0;
  for (int i = 0; i < nodes; ++i) {
    // The outermost pixel is one of the nodes: the error rises steeply towards it.
    const double frequency = (i + 1.0) / nodes / (2 * oversampling);
    const double signal = kaiser_bessel_transform(width, beta, frequency);
    double noise = 0;
    for (int m = 1; m <= aliases; ++m)
      for (int sign : {-1, 1}) {
        const double value = kaiser_bessel_transform(width, beta, frequency + sign * m);
        noise += value * value;
      }
    // The far tail falls as 1/m² with mean square ½ of its envelope.
    const double envelope = 1 / pi;
    noise += envelope * envelope / aliases;
    sum += noise / (signal * signal);
  }
  return sum / nodes;
}

}  // namespace

double estimated_aliasing(int width, double oversampling) {
  return std::sqrt(mean_square_aliasing(width, approximate_beta(width, oversampling), oversampling, 16));
}

Kernel::Kernel(int width, double oversampling) : width_(width) {
  const auto error = [&](double beta) { return mean_square_aliasing(width, beta, oversampling, 32); };
  const double guess = approximate_beta(width, oversampling), golden = (std::sqrt(5.0) - 1) / 2;
  double low = 0.9 * guess, high = 1.1 * guess;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = error(a), at_b = error(b);
  for (int i = 0; i < 16; ++i) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = error(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = error(b);
    }
  }
  beta_ = (low + high) / 2;
  peak_ = bessel_i0(beta_);
}

double Kernel::operator()(double cells) const {
  const double t = 2 * cells / width_;
  return std::abs(t) > 1 ? 0 : bessel_i0(beta_ * std::sqrt(1 - t * t)) / peak_;
}

double Kernel::transform(double frequency) const {
  return kaiser_bessel_transform(width_, beta_, frequency) / peak_;
}

double Kernel::aliasing_error(double oversampling) const {
  return std::sqrt(mean_square_aliasing(width_, beta_, oversampling, 48));
}

namespace {

// Coefficients (in powers of u) of the polynomial of degree n that interpolates g at the Chebyshev points of
// [-1, 1].
template <typename G>
std::vector<double> chebyshev_fit(int degree, const G& g) {
  const int n = degree + 1;
  std::vector<double> values(n), chebyshev(n), powers(n, 0.0);
  for (int i = 0; i < n; ++i) values[i] = g(std::cos(pi * (i + 0.5) / n));
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += values[i] * std::cos(pi * k * (i + 0.5) / n);
    chebyshev[k] = (k == 0 ? 1.0 : 2.0) * sum / n;
  }
  // T_{k+1} = 2u T_k − T_{k−1}, accumulated as powers of u.
  std::vector<double> previous(n, 0.0), current(n, 0.0), next(n);
  previous[0] = 1;
  if (n > 1) current[1] = 1;
  for (int k = 0; k < n; ++k) {
    const auto& basis = k == 0 ? previous : current;
    for (int p = 0; p < n; ++p) powers[p] += chebyshev[k] * basis[p];
    if (k == 0) continue;
    for (int p = 0; p < n; ++p) next[p] = (p > 0 ? 2 * current[p - 1] : 0) - previous[p];
    previous = current;
    current = next;
  }
  return powers;
}

double largest_fit_error(const Kernel& kernel, const std::vector<std::vector<double>>& pieces) {
  double largest = 0;
  for (std::size_t l = 0; l < pieces.size(); ++l)
    for (int i = 0; i <= 32; ++i) {
      const double fraction = i / 32.0, u = 2 * fraction - 1;
      double value = 0;
      for (std::size_t p = pieces[l].size(); p-- > 0;) value = value * u + pieces[l][p];
      largest = std::max(largest,
                         std::abs(value - kernel(static_cast<double>(l) + fraction - 0.5 * kernel.width())));
    }
  return largest;
}

}  // namespace

template <typename T>
KernelPolynomials<T> fit(const Kernel& kernel, double accuracy) {
  const int width = kernel.width();
  std::vector<std::vector<double>> pieces(width);
  constexpr int highest_degree = 16;  // beyond, rounding of the powers outweighs the gain
  int degree = 2;
  for (;; ++degree) {
    for (int l = 0; l < width; ++l)
      pieces[l] = chebyshev_fit(degree, [&](double u) { return kernel(l + 0.5 * (u + 1) - 0.5 * width); });
    if (degree == highest_degree || largest_fit_error(kernel, pieces) <= accuracy) break;
  }
  KernelPolynomials<T> result{width, degree, padded_width(width), {}};
  result.coefficients.assign(static_cast<std::size_t>(degree + 1) * result.stride, T(0));
  for (int l = 0; l < width; ++l)
    for (int p = 0; p <= degree; ++p)
      result.coefficients[static_cast<std::size_t>(degree - p) * result.stride + l] =
          static_cast<T>(pieces[l][p]);
  return result;
}

template KernelPolynomials<float> fit<float>(const Kernel&, double);
template KernelPolynomials<double> fit<double>(const Kernel&, double);

}  // namespace larmor::nufft
