#pragma once

// Error of the default reconstruction, and the smallest error that any choice of options could have reached.

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/operators/fft.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::test {

inline ReconstructOptions automatic_options(const Simulation& simulation) {
  ReconstructOptions options{.coils = {.maps = simulation.maps},
                             .solve = {.automatic = true},
                             .output = {.kind = ImageKind::complex}};
  return options;
}

/// ‖s x − truth‖ / ‖truth‖ with the best factor s, within the disc (ball) of k-space that spokes and spirals
/// cover.
inline double error_in_disc(View<const std::complex<float>> image, View<const std::complex<float>> truth,
                            Context& ctx) {
  const Shape shape = truth.shape();
  const Fft<float> fft(shape, shape.rank());
  const auto a = fft.apply(image.reshaped(shape), ctx), b = fft.apply(truth, ctx);
  std::complex<double> ab = 0;
  double aa = 0, bb = 0;
  for (Index i = 0; i < a.size(); ++i) {
    double squared = 0;
    Index rest = i;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const Index n = shape[axis];
      squared += std::pow(static_cast<double>(rest % n - n / 2) / static_cast<double>(n), 2);
      rest /= n;
    }
    if (squared > 0.25) continue;
    ab += std::conj(std::complex<double>(a[i])) * std::complex<double>(b[i]);
    aa += std::norm(std::complex<double>(a[i]));
    bb += std::norm(std::complex<double>(b[i]));
  }
  return std::sqrt(std::max(0.0, 1 - std::norm(ab) / (aa * bb)));
}

/// ‖|s image| − |truth|‖ / ‖truth‖ with the best factor s, where the truth is at least `part` of its maximum.
inline double error_of_magnitudes(View<const std::complex<float>> image,
                                  View<const std::complex<float>> truth, double part = 0.03) {
  double largest = 0, ab = 0, aa = 0, bb = 0;
  for (Index i = 0; i < truth.size(); ++i) largest = std::max<double>(largest, std::abs(truth[i]));
  for (Index i = 0; i < truth.size(); ++i) {
    const double a = std::abs(image[i]), b = std::abs(truth[i]);
    if (b < part * largest) continue;
    ab += a * b, aa += a * a, bb += b * b;
  }
  return std::sqrt(std::max(0.0, 1 - ab * ab / (aa * bb)));
}

inline double error_with(const Simulation& simulation, const ReconstructOptions& options, Context& ctx) {
  const auto result = reconstruct(simulation.scan, options, ctx);
  return error_in_disc(result.series.images[0].pixels, simulation.truth, ctx);
}

/// The smallest error, for a scan reconstructed with `options` otherwise: by conjugate gradients with and
/// without density weights, and for slices by l2 with any weight.
inline double best_by_hand(const Simulation& simulation, ReconstructOptions options, Context& ctx) {
  options.solve.automatic = false;
  double least = 1;
  options.solve.iterations = 64;
  options.solve.checkpoint_every = 1;
  options.solve.checkpoint = [&](const SavedState& state) {
    const auto& image = std::get<Checkpoint<float>>(state.solver).vectors.front();
    least = std::min(least, error_in_disc(image, simulation.truth, ctx));
  };
  for (const DensityKind density : {DensityKind::none, DensityKind::pipe}) {
    options.density = density;
    reconstruct(simulation.scan, options, ctx);
  }
  options.solve.checkpoint_every = 0;
  if (simulation.truth.shape().rank() > 2) return least;
  options.density = DensityKind::none;
  options.solve.iterations = 100;
  for (double lambda = 1e-5; lambda < 0.2; lambda *= 3) {
    options.solve.regularizers = {{.name = "l2", .lambda = lambda}};
    least = std::min(least, error_with(simulation, options, ctx));
  }
  return least;
}

}  // namespace larmor::test
