#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace LARMOR_API larmor {
namespace nufft {
namespace {

using std::numbers::pi;

// The first alias reaches the edge of the main lobe near β = π w (1 − 1/(2σ)); the correction was fitted to
// the minima of the aliasing error for σ = 1.15 … 2.5, w = 3 … 16.
double bandwidth(double width, double oversampling) {
  return pi * width * (1 - 1 / (2 * oversampling)) - (0.3 - 0.022 * width) / oversampling;
}

// Expansion of the prolate spheroidal function of order zero and bandwidth c in even normalised Legendre
// polynomials: the eigenvector of the smallest eigenvalue of a tridiagonal matrix (Xiao, Rokhlin and Yarvin
// 2001, eq. 63), here by inverse iteration; the next eigenvalue is five times as large. Returned as
// coefficients of P₀, P₂, …
std::vector<double> prolate_series(double c) {
  const int terms = 16 + static_cast<int>(c);
  std::vector<double> diagonal(terms), next(terms), vector(terms, 0.0);
  for (int i = 0; i < terms; ++i) {
    const double k = 2 * i;
    diagonal[i] = k * (k + 1) + (2 * k * (k + 1) - 1) / ((2 * k + 3) * (2 * k - 1)) * c * c;
    next[i] = (k + 2) * (k + 1) / ((2 * k + 3) * std::sqrt((2 * k + 1) * (2 * k + 5))) * c * c;
  }
  // One elimination, then solves; the matrix is positive definite.
  std::vector<double> factor(terms, 0.0);
  for (int i = 1; i < terms; ++i) {
    factor[i] = next[i - 1] / diagonal[i - 1];
    diagonal[i] -= factor[i] * next[i - 1];
  }
  vector[0] = 1;
  for (int iteration = 0; iteration < 26; ++iteration) {
    for (int i = 1; i < terms; ++i) vector[i] -= factor[i] * vector[i - 1];
    vector[terms - 1] /= diagonal[terms - 1];
    for (int i = terms - 2; i >= 0; --i) vector[i] = (vector[i] - next[i] * vector[i + 1]) / diagonal[i];
    double norm = 0;
    for (const double value : vector) norm += value * value;
    for (double& value : vector) value /= std::sqrt(norm);
  }
  for (int i = 0; i < terms; ++i) vector[i] *= std::sqrt(2 * i + 0.5);
  return vector;
}

// Legendre polynomials are computed for this many arguments at a time, because each division for one argument
// has to wait for the previous one.
constexpr int together = 8;
template <int n>
using Arguments = std::array<double, n>;

// Replaces P_{k−1}(t) by P_{k+1}(t), by the three-term recurrence.
template <int n>
void next_legendre(int k, const Arguments<n>& t, Arguments<n>& before, Arguments<n>& now) {
  for (int j = 0; j < n; ++j) {
    const double after = ((2 * k + 1) * t[j] * now[j] - k * before[j]) / (k + 1);
    before[j] = now[j];
    now[j] = after;
  }
}

// Σ c_i P_{2i}(t)
template <int n>
Arguments<n> even_legendre(const std::vector<double>& series, const Arguments<n>& t) {
  Arguments<n> sum, before, now = t;
  sum.fill(series[0]);
  before.fill(1);
  const int last = 2 * static_cast<int>(series.size()) - 2;
  for (int k = 1; k < last; ++k) {
    next_legendre<n>(k, t, before, now);
    if (k % 2 == 0) continue;
    for (int j = 0; j < n; ++j) sum[j] += series[static_cast<std::size_t>(k + 1) / 2] * now[j];
  }
  return sum;
}
double even_legendre(const std::vector<double>& series, double t) {
  return even_legendre<1>(series, {t})[0];
}

struct Quadrature {
  std::vector<double> node, weight;
};

// Gauss-Legendre rule on [0, 1]: Newton's method on P_n.
Quadrature gauss_legendre(int n) {
  Quadrature rule{std::vector<double>(n), std::vector<double>(n)};
  const int half = (n + 1) / 2;
  for (int first = 0; first < half; first += together) {
    Arguments<together> t, slope;
    for (int j = 0; j < together; ++j)
      t[j] = std::cos(pi * (std::min(first + j, half - 1) + 0.75) / (n + 0.5));
    for (int step = 0; step < 4; ++step) {
      Arguments<together> before, now = t;
      before.fill(1);
      for (int k = 1; k < n; ++k) next_legendre<together>(k, t, before, now);
      for (int j = 0; j < together; ++j) {
        slope[j] = n * (t[j] * now[j] - before[j]) / (t[j] * t[j] - 1);
        t[j] -= now[j] / slope[j];
      }
    }
    for (int j = 0; j < std::min(together, half - first); ++j) {
      const int i = first + j;
      rule.node[i] = 0.5 * (1 + t[j]);
      rule.node[n - 1 - i] = 0.5 * (1 - t[j]);
      rule.weight[i] = rule.weight[n - 1 - i] = 1 / ((1 - t[j] * t[j]) * slope[j] * slope[j]);
    }
  }
  return rule;
}

constexpr int aliases = 3;  // on either side; the rest is estimated

}  // namespace

Kernel::Kernel(int width, double oversampling)
    : width_(width),
      beta_(bandwidth(width, oversampling)),
      series_(prolate_series(beta_)),
      peak_(even_legendre(series_, 0)) {
  // Two nodes for each period of the highest frequency, plus some for the kernel itself.
  auto rule = gauss_legendre((aliases + 1) * width + 16);
  node_ = std::move(rule.node);
  weight_ = std::move(rule.weight);
  for (double& node : node_) node *= 0.5 * width;
  const auto value = at_nodes();
  for (std::size_t i = 0; i < node_.size(); ++i) {
    weight_[i] *= width * value[i];
    phase_.push_back(std::polar(1.0, 2 * pi * node_[i]));
  }
}

// (*this)(node) for all nodes
std::vector<double> Kernel::at_nodes() const {
  std::vector<double> value(node_.size());
  for (std::size_t first = 0; first < node_.size(); first += together) {
    const std::size_t count = std::min<std::size_t>(together, node_.size() - first);
    Arguments<together> t{};
    for (std::size_t j = 0; j < count; ++j) t[j] = 2 * node_[first + j] / width_;
    const auto sum = even_legendre<together>(series_, t);
    for (std::size_t j = 0; j < count; ++j) value[first + j] = sum[j] / peak_;
  }
  return value;
}

double Kernel::operator()(double cells) const {
  const double t = 2 * cells / width_;
  return std::abs(t) > 1 ? 0 : even_legendre(series_, t) / peak_;
}

double Kernel::transform(double frequency) const {
  double sum = 0;
  for (std::size_t i = 0; i < node_.size(); ++i) sum += weight_[i] * std::cos(2 * pi * frequency * node_[i]);
  return sum;
}

double GriddingError::of_pixels(Index pixels) const {
  // Trapezoidal rule: pixels −N/2 … N/2 − 1 include one edge pixel, whereas the mean includes half of each.
  return std::sqrt(mean * mean + edge * edge / (2 * static_cast<double>(pixels)));
}

// Aliasing: Σ_{m≠0} |φ̂(ξ+m)|² / |φ̂(ξ)|², at the edge ξ = 1/(2σ) and its mean over |ξ| <= 1/(2σ).
GriddingError Kernel::error(double oversampling) const {
  static const Quadrature image = gauss_legendre(10);
  // Higher aliases are due to the jump at the kernel's ends: they fall as φ(w/2)/(πξ), and their mean square
  // is half of that envelope's.
  double tail = pi * pi / 6;
  for (int m = 1; m <= aliases; ++m) tail -= 1.0 / (m * m);
  const double edge = (*this)(0.5 * width_) / pi;
  const auto relative_noise = [&](double frequency) {
    std::array<double, 2 * aliases + 1> value{};  // φ̂(ξ + m), m = −aliases …
    for (std::size_t n = 0; n < node_.size(); ++n) {
      const std::complex<double> step = phase_[n];
      std::complex<double> up = weight_[n] * std::polar(1.0, 2 * pi * frequency * node_[n]), down = up;
      value[aliases] += up.real();
      for (int m = 1; m <= aliases; ++m) {
        up = {up.real() * step.real() - up.imag() * step.imag(),
              up.real() * step.imag() + up.imag() * step.real()};
        down = {down.real() * step.real() + down.imag() * step.imag(),
                down.imag() * step.real() - down.real() * step.imag()};
        value[aliases + m] += up.real();
        value[aliases - m] += down.real();
      }
    }
    double noise = edge * edge * tail;
    for (int m = 1; m <= aliases; ++m)
      noise += value[aliases + m] * value[aliases + m] + value[aliases - m] * value[aliases - m];
    return noise / (value[aliases] * value[aliases]);
  };
  double mean = 0, amplified = 0;
  const double middle = transform(0);
  for (std::size_t i = 0; i < image.node.size(); ++i) {
    const double frequency = image.node[i] / (2 * oversampling);
    mean += image.weight[i] * relative_noise(frequency);
    amplified += image.weight[i] * std::pow(middle / transform(frequency), 2);
  }
  const double edge_frequency = 0.5 / oversampling;
  return {std::sqrt(mean), std::sqrt(relative_noise(edge_frequency)), std::sqrt(amplified),
          middle / transform(edge_frequency)};
}

ChebyshevSeries kernel_transform(const Kernel& kernel, double highest_frequency) {
  ChebyshevSeries series;
  constexpr int terms = ChebyshevSeries::terms;
  series.scale = highest_frequency > 0 ? 1 / highest_frequency : 0;
  // Even in the frequency: with ξ = ξ_max cos(ϑ/2), the points of the series are at x = cos ϑ.
  const auto cosine = [](int quarter_steps) { return std::cos(pi * quarter_steps / (4 * terms)); };
  std::array<double, terms> value;
  for (int i = 0; i < terms; ++i) value[i] = kernel.transform(highest_frequency * cosine(2 * i + 1));
  for (int k = 0; k < terms; ++k) {
    double sum = 0;
    // Full turns are removed from the angle in integers, because rounding errors of the terms are amplified
    // at the edge.
    for (int i = 0; i < terms; ++i) sum += value[i] * cosine(2 * k * (2 * i + 1) % (8 * terms));
    series.coefficient[k] = (k == 0 ? 1.0 : 2.0) * sum / terms;
  }
  // Removes trailing terms that are below the rounding error of the first ones.
  while (series.used > 1 && std::abs(series.coefficient[series.used - 1]) < 5e-16 * value[terms - 1])
    --series.used;
  return series;
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

double fit_error(const Kernel& kernel, int cell, const std::vector<double>& piece) {
  double largest = 0;
  for (int i = 0; i <= 16; ++i) {
    const double fraction = i / 16.0, u = 2 * fraction - 1;
    double value = 0;
    for (std::size_t p = piece.size(); p-- > 0;) value = value * u + piece[p];
    largest = std::max(largest, std::abs(value - kernel(cell + fraction - 0.5 * kernel.width())));
  }
  return largest;
}

}  // namespace

template <typename T>
KernelPolynomials<T> fit(const Kernel& kernel, double accuracy) {
  const int width = kernel.width(), half = (width + 1) / 2;  // the kernel is even
  std::vector<std::vector<double>> pieces(half);
  int degree = std::max(2, width / 2);
  const auto reached = [&] {
    for (int l = 0; l < half; ++l) {
      pieces[l] = chebyshev_fit(degree, [&](double u) { return kernel(l + 0.5 * (u + 1) - 0.5 * width); });
      if (degree < highest_degree && fit_error(kernel, l, pieces[l]) > accuracy) return false;
    }
    return true;
  };
  while (!reached()) ++degree;
  KernelPolynomials<T> result{width, degree, padded_width(width), {}};
  result.coefficients.assign(static_cast<std::size_t>(degree + 1) * result.stride, T(0));
  for (int l = 0; l < half; ++l)
    for (int p = 0; p <= degree; ++p) {
      T* row = &result.coefficients[static_cast<std::size_t>(degree - p) * result.stride];
      row[width - 1 - l] = static_cast<T>(p % 2 == 0 ? pieces[l][p] : -pieces[l][p]);
      row[l] = static_cast<T>(pieces[l][p]);
    }
  return result;
}

template KernelPolynomials<float> fit<float>(const Kernel&, double);
template KernelPolynomials<double> fit<double>(const Kernel&, double);

}  // namespace nufft
}  // namespace larmor

namespace LARMOR_API larmor {

std::string to_string(NufftMethod method) {
  return method == NufftMethod::matrix ? "matrix" : "gridding";
}

}  // namespace larmor
