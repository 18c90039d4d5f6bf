#include <larmor/bench/papers/plain_gaussian.hpp>
#include <larmor/core/math/fft.hpp>

#include <cmath>
#include <numbers>

namespace larmor::bench {

Array<std::complex<double>> plain_gaussian_gridding(View<const double> points, View<const double> values,
                                                    Index modes) {
  constexpr Index ratio = 3, half = 14;
  constexpr double pi = std::numbers::pi;
  const Index cells = ratio * modes;
  const auto n = static_cast<double>(cells);
  // The Gaussian exp(−x²/4τ) of a period of 2π, x in steps of 2π/n.
  const auto size = static_cast<double>(modes);
  const double tau = pi * half / (size * size * ratio * (ratio - 0.5));
  const double decay = pi * pi / (n * n * tau);

  auto grid = filled({cells}, std::complex<double>(0));
  for (Index j = 0; j < points.size(); ++j) {
    const double place = (points[j] - std::floor(points[j])) * n;
    const double centre = std::rint(place);
    for (Index l = -half; l <= half; ++l) {
      const double distance = centre + static_cast<double>(l) - place;
      const Index cell = (static_cast<Index>(centre) + l + cells) % cells;
      grid[cell] += values[j] * std::exp(-decay * distance * distance);
    }
  }
  Context ctx(Device::cpu(), {.threads = 1});
  const FftPlan<double> fft({cells}, 1);
  ctx.arena().reserve(fft.scratch_bytes(ctx));
  fft.execute(grid, FftSign::backward, ctx);

  Array<std::complex<double>> result({modes});
  const double scale = std::sqrt(pi / tau) / n;
  for (Index i = 0; i < modes; ++i) {
    const Index mode = i - modes / 2;
    const auto frequency = static_cast<double>(mode);
    result[i] = grid[(mode + cells) % cells] * (scale * std::exp(tau * frequency * frequency));
  }
  return result;
}

}  // namespace larmor::bench
