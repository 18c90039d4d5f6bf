#include <larmor/core/format_error.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/scan/noise_at_edges.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace larmor {
namespace {

using Complex = std::complex<double>;

constexpr Index least_samples = 500;
constexpr double near_edge = 0.6, far_edge = 0.8;
// Tolerated difference of the two covariances, in addition to statistical fluctuation.
constexpr double same_power = 0.02, same_mode = 0.05;
// Each sample is correlated with this many following ones. For white noise, the sum of squared correlations
// times the number of pairs is a gamma variate with this shape parameter, which exceeds `unlikely` once in
// 40,000; receivers' filters may increase the sum slightly.
constexpr std::size_t lags = 8;
constexpr double unlikely = 25, coloured = 0.002;
// Consecutive samples are correlated if an object is present and they are at most this far apart (1 = cycle
// per field of view); at least half of them must be.
constexpr double near_by = 1.5;

/// The outer samples of all readouts, in order.
class OuterSamples {
 public:
  OuterSamples(const Scan& scan, const ScanPlan& plan, const std::vector<std::size_t>& readouts)
      : scan_(scan), plan_(plan), readouts_(readouts) {
    for (const std::size_t index : readouts_)
      for (const double component : plan.at(index).k) edge_ = std::max(edge_, std::abs(component));
  }

  /// Calls f(index in its readout, whether it is in the last fifth, channels, k); next() precedes each
  /// readout.
  template <typename Next, typename F>
  void for_each(Next next, F f) {
    const auto dims = static_cast<std::size_t>(plan_.dims);
    std::vector<Complex> sample(static_cast<std::size_t>(plan_.channels));
    for (const std::size_t index : readouts_) {
      next();
      const double* const k = plan_.at(index).k.data();
      const Readout& readout = scan_.readouts[index];
      const auto* data = scan_.samples(readout) + readout.header.discard_pre;
      for (std::size_t j = 0; j < plan_.at(index).inside.size(); ++j) {
        const double r = largest_component(k + j * dims, plan_.dims);
        if (r < near_edge * edge_) continue;
        double power = 0;
        for (std::size_t c = 0; c < sample.size(); ++c) {
          const Complex value(data[c * readout.header.samples + j]);
          sample[c] = plan_.reading.conjugate ? std::conj(value) : value;
          power += std::norm(value);
        }
        // A value of 0 was not measured.
        if (power > 0 && std::isfinite(power)) f(j, r >= far_edge * edge_, sample, k + j * dims);
      }
    }
  }

 private:
  const Scan& scan_;
  const ScanPlan& plan_;
  const std::vector<std::size_t>& readouts_;
  double edge_ = 0;
};

// True if samples of this covariance are uncorrelated with the following ones, in all principal components,
// because an object may stand out from noise in only a few. False if they are too far apart for a decision.
bool is_white(OuterSamples& outer, const ScanPlan& plan, const Array<Complex>& covariance) {
  const auto components = hermitian_eigen(covariance);
  const std::size_t modes = components.values.size();
  std::vector<Complex> products(lags * modes);
  std::array<double, lags> pairs{};
  struct Past {
    std::size_t place;
    std::array<double, 3> k;  // cycles over the field of view
    std::vector<Complex> values;
  };
  std::vector<Past> past;
  double near = 0;
  outer.for_each([&] { past.clear(); },
                 [&](std::size_t place, bool, const std::vector<Complex>& sample, const double* pixel_k) {
                   std::array<double, 3> k{};
                   double square = 0;
                   for (std::size_t axis = 0; axis < static_cast<std::size_t>(plan.dims); ++axis) {
                     k[axis] = pixel_k[axis] * static_cast<double>(plan.grids.recon.matrix[axis]);
                     if (!past.empty()) square += std::pow(k[axis] - past.back().k[axis], 2);
                   }
                   if (!past.empty() && place - past.back().place == 1 && square <= near_by * near_by)
                     near += 1;
                   std::vector<Complex> values(modes);
                   for (std::size_t m = 0; m < modes; ++m)
                     for (std::size_t c = 0; c < modes; ++c)
                       values[m] +=
                           std::conj(components.vectors[static_cast<Index>(m * modes + c)]) * sample[c];
                   if (past.size() > lags) past.erase(past.begin());
                   for (const Past& before : past) {
                     const std::size_t lag = place - before.place;
                     if (lag > lags) continue;
                     pairs[lag - 1] += 1;
                     for (std::size_t m = 0; m < modes; ++m)
                       products[(lag - 1) * modes + m] += values[m] * std::conj(before.values[m]);
                   }
                   past.push_back({place, k, std::move(values)});
                 });
  if (!(near > 0.5 * pairs[0])) return false;
  for (std::size_t m = 0; m < modes; ++m) {
    double sum = 0, allowed = unlikely;
    for (std::size_t lag = 0; lag < lags; ++lag)
      if (pairs[lag] > 0) sum += std::norm(products[lag * modes + m] / components.values[m]) / pairs[lag];
    allowed += coloured * *std::max_element(pairs.begin(), pairs.end());
    if (!(sum <= allowed)) return false;
  }
  return true;
}

}  // namespace

double largest_component(const double* k, Index dims) {
  double largest = 0;
  for (Index axis = 0; axis < dims; ++axis) largest = std::max(largest, std::abs(k[axis]));
  return largest;
}

void complete(Array<Complex>& covariance) {
  const Index channels = covariance.shape()[0];
  for (Index a = 0; a < channels; ++a)
    for (Index b = a + 1; b < channels; ++b)
      covariance[a * channels + b] = std::conj(covariance[b * channels + a]);
}

std::optional<NoiseEstimate> noise_at_edges(const Scan& scan, const ScanPlan& plan,
                                            const std::vector<std::size_t>& readouts, double least_power) {
  const Index channels = plan.channels;
  OuterSamples outer(scan, plan, readouts);
  // The inner and the outer fifth.
  std::array<double, 2> numbers{};
  std::array products{filled<Complex>({channels, channels}, 0), filled<Complex>({channels, channels}, 0)};
  outer.for_each([] {},
                 [&](std::size_t, bool far, const std::vector<Complex>& sample, const double*) {
                   const std::size_t band = far ? 1 : 0;
                   numbers[band] += 1;
                   for (Index a = 0; a < channels; ++a)
                     for (Index b = 0; b < channels; ++b)
                       products[band][a * channels + b] += sample[static_cast<std::size_t>(a)] *
                                                           std::conj(sample[static_cast<std::size_t>(b)]);
                 });
  const double fewer = std::min(numbers[0], numbers[1]), all = numbers[0] + numbers[1];
  if (fewer < std::max<double>(least_samples, 20 * static_cast<double>(channels))) return std::nullopt;
  NoiseEstimate result{filled<Complex>({channels, channels}, 0), {}};
  for (Index i = 0; i < channels * channels; ++i) {
    result.covariance[i] = (products[0][i] + products[1][i]) / all;
    for (std::size_t band = 0; band < 2; ++band) products[band][i] /= numbers[band];
  }
  if (!(hermitian_eigen(products[1]).values.back() > least_power)) return std::nullopt;
  // The covariance of the inner fifth, relative to that of the outer one.
  const auto white = whitening_matrix(products[1], 1);
  const auto relative =
      hermitian_eigen(matrix_product(matrix_product(white, products[0]), conjugate_transpose(white)));
  const double chance = std::sqrt(2 / fewer), modes = static_cast<double>(channels),
               mean = std::accumulate(relative.values.begin(), relative.values.end(), 0.0) / modes;
  if (std::abs(mean - 1) > same_power + 3 * chance / std::sqrt(modes)) return std::nullopt;
  if (relative.values.front() > 1 + same_mode + 3 * chance * std::sqrt(modes)) return std::nullopt;
  if (!is_white(outer, plan, result.covariance)) return std::nullopt;
  result.source = fmt::format("the imaging samples at the edges of k-space ({} samples)", all);
  return result;
}

}  // namespace larmor
