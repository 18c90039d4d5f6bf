#include <larmor/mri/quality/replicas.hpp>
#include <larmor/mri/reconstruct/steps/least_error.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gtest/gtest.h>

#include <cmath>

// Compared with Wiener's filter in closed form: with one sample at each point of k-space all operators are
// diagonal.

namespace larmor {
namespace {

using C = std::complex<double>;
constexpr Index n = 32;
constexpr double noise = 0.3;

/// Samples on the grid of k-space of an object whose power falls off, with noise.
struct Measured {
  Array<double> trajectory{Shape{n * n, 2}};
  Array<C> samples{Shape{n, n}};
  PowerSpectrumEstimate power{Shape{n, n}};
  double object = 0;  // ‖X‖²

  explicit Measured(Context& ctx) {
    const auto random = unit_noise({n, n}, 1, 0, ctx), errors = unit_noise({n, n}, 2, 0, ctx);
    Array<std::complex<float>> single({1, n * n});
    for (Index i = 0; i < n * n; ++i) {
      const double x = trajectory[2 * i] = static_cast<double>(i % n - n / 2) / n,
                   y = trajectory[2 * i + 1] = static_cast<double>(i / n - n / 2) / n;
      const C value = C(random[i]) * std::sqrt(100 * std::exp(-12 * std::hypot(x, y)));
      object += std::norm(value);
      samples[i] = value + std::sqrt(noise) * C(errors[i]);
      single[i] = std::complex<float>(samples[i]);
    }
    power.add(trajectory, single, {}, ctx);
  }

  PriorKnowledge known() const { return {.power = power, .noise_variance = noise}; }
};

TEST(LeastError, IsWienersFilter) {
  Context ctx;
  const Measured data(ctx);
  const Fft<double> fft({n, n}, 2);
  const auto b = fft.adjoint(data.samples, ctx);
  const LeastError<double> estimate(Identity<double>({n, n}), b, data.known(), 2, ctx);
  const auto spectrum = data.power.spectrum(noise);
  const Array<C> made = fft.apply(estimate.normal().apply(b, ctx), ctx);
  double remaining = 0;
  for (Index i = 0; i < made.size(); ++i) {
    const double radius = std::hypot(i / n - n / 2, i % n - n / 2) / (0.5 * n);
    const double power = spectrum.power[spectrum.shell(radius)];
    EXPECT_NEAR(std::abs(made[i] - data.samples[i] * (1 + 0.5 * noise / power)), 0,
                1e-9 * (1 + noise / power) * (1 + std::abs(data.samples[i])));
    remaining += 0.5 * noise * power / (0.5 * noise + power);
  }
  // A distance from the minimum of 6 % of its own expected error is negligible.
  const double signal = data.power.weighted_energy() - noise * data.power.weight();
  EXPECT_NEAR(std::sqrt(estimate.negligible_energy() * signal / remaining), 0.063, 1e-3);
  // The preconditioner is the inverse.
  const auto solved =
      conjugate_gradient<double>(Problem<double>{estimate.normal(), clone(b.view())},
                                 {.iterations = 2, .preconditioner = estimate.preconditioner()}, ctx);
  EXPECT_LT(solved.history.front().gradient, 1e-9);
  const auto expected = estimate.expected_error(solved.x, ctx);
  double found = 0;
  const auto spectral = fft.apply(solved.x, ctx);
  for (Index i = 0; i < spectral.size(); ++i) found += std::norm(spectral[i]);
  EXPECT_NEAR(expected.error, std::sqrt(remaining / (found + remaining)), 1e-6);
  EXPECT_NEAR(found + remaining, data.object, 0.05 * data.object);
  EXPECT_GE(expected.transfer.resolution, 1);
}

// Each point of k-space and its mirror image carry the same information: for real images half of the noise
// remains, and the expected error decreases accordingly.
TEST(LeastError, KnowsThatImagesAreReal) {
  Context ctx;
  const Measured data(ctx);
  const Fft<double> fft({n, n}, 2);
  const RealPart<double> real({n, n});
  const Array<C> b = real.adjoint(fft.adjoint(data.samples, ctx), ctx);
  PriorKnowledge known = data.known();
  known.real = true;
  const LeastError<double> estimate(real, b, known, 2, ctx);
  const auto solved =
      conjugate_gradient<double>(Problem<double>{estimate.normal(), clone(b.view())},
                                 {.iterations = 2, .preconditioner = estimate.preconditioner()}, ctx);
  EXPECT_LT(solved.history.front().gradient, 1e-9);
  double found = 0;
  for (const C& value : solved.x) {
    EXPECT_EQ(value.imag(), 0);
    found += std::norm(value);
  }
  const auto spectrum = data.power.spectrum(noise);
  double remaining = 0;
  for (Index i = 0; i < n * n; ++i) {
    const double power = spectrum.power[spectrum.shell(std::hypot(i / n - n / 2, i % n - n / 2) / (0.5 * n))];
    remaining += 0.5 * noise * power / (0.5 * noise + power);
  }
  EXPECT_NEAR(estimate.expected_error(solved.x, ctx).error, std::sqrt(remaining / (found + remaining)), 0.02);
}

TEST(LeastError, StaysWhereCoilsSee) {
  Context ctx;
  const Measured data(ctx);
  Array<C> map({n, n});
  Array<double> energy({n, n});
  for (Index i = 0; i < map.size(); ++i) {
    map[i] = i % n < n / 2 ? C(0.8, 0.6) : C(0);
    energy[i] = std::norm(map[i]);
  }
  const auto model = Fft<double>({n, n}, 2) * Diagonal<double>(map.view());
  auto known = data.known();
  known.map_energy = energy;
  const auto b = model.adjoint(data.samples, ctx);
  const LeastError<double> estimate(model.normal(ctx), b, known, 2, ctx);
  const auto solved = conjugate_gradient<double>(
      Problem<double>{estimate.normal(), clone(b.view())},
      {.iterations = 60, .energy = 1e-6, .preconditioner = estimate.preconditioner()}, ctx);
  EXPECT_EQ(solved.stop_reason, StopReason::distance);
  EXPECT_LT(solved.history.size(), 30U);
  for (Index i = 0; i < map.size(); ++i)
    if (energy[i] == 0) {
      ASSERT_LT(std::abs(solved.x[i]), 1e-12) << i;
    }
}

TEST(RemainingData, SettlesOnceWhenItHardlyFalls) {
  RemainingData remaining(100);
  std::vector<int> settled;
  // Energies 50, 25, … 3.1, and 3 from the sixth iteration on.
  for (int iteration = 1; iteration <= 12; ++iteration)
    if (remaining.settles(0.5 * std::max(3.0, 100 / std::pow(2, iteration)))) settled.push_back(iteration);
  EXPECT_EQ(settled, std::vector<int>{7});
  EXPECT_NEAR(remaining.energy(), 3, 1e-9);
}

TEST(LeastError, FindsTheNoiseThatIsLeft) {
  Context ctx;
  // Four samples of each pixel.
  const Index pixels = 400, copies = 4;
  std::vector<Operator<double>> rows(copies, Identity<double>({pixels}));
  const VStack<double> model(rows);
  const auto random = unit_noise({copies, pixels}, 1, 0, ctx),
             errors = unit_noise({copies, pixels}, 2, 0, ctx);
  Array<C> y(model.codomain()), unit(model.codomain());
  double energy = 0, unit_energy = 0;
  for (Index i = 0; i < y.size(); ++i) {
    y[i] = C(random[i % pixels]) * 5.0 + std::sqrt(noise) * C(errors[i]);
    unit[i] = C(random[i]);
    energy += std::norm(y[i]);
    unit_energy += std::norm(unit[i]);
  }
  const double found = remaining_noise<double>(model.normal(ctx), model.adjoint(y, ctx), energy,
                                               model.adjoint(unit, ctx), unit_energy, ctx);
  EXPECT_NEAR(found, noise, 0.1 * noise);
}

}  // namespace
}  // namespace larmor
