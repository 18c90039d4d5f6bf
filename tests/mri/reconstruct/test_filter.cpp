// The filter of written images.
#include "error_of.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

using testing::HasSubstr;

Simulation still_scan() {
  Context ctx;
  SimulationOptions options;
  options.matrix = {48, 48, 1};
  options.coils = 8;
  options.readouts = 80;
  options.noise = 0.005;
  return simulate_scan(options, ctx);
}

// A filtered image is the unfiltered one whose k-space is multiplied by cos²(πk) along each axis.
TEST(KspaceFilter, HannFallsToZeroAtTheEdge) {
  Context ctx;
  const Simulation simulation = still_scan();
  ReconstructOptions options;
  options.coils.maps = simulation.maps.view();
  options.output.kind = ImageKind::complex;
  const auto image_of = [&] {
    return clone(reconstruct(simulation.scan, options, ctx).series.images[0].pixels.view());
  };
  const auto plain = image_of();
  options.output.filter = KspaceFilter::hann;
  const auto filtered = image_of();
  // A coefficient of the discrete Fourier transform; the object is 0 at the border.
  const auto at = [](const Array<std::complex<float>>& image, double kx, double ky) {
    std::complex<double> sum = 0;
    for (Index p = 0; p < image.size(); ++p)
      sum += std::complex<double>(image[p]) *
             std::polar(1.0, -2 * std::numbers::pi *
                                 (kx * static_cast<double>(p % 48) + ky * static_cast<double>(p / 48)));
    return sum;
  };
  const double whole = std::abs(at(plain, 0, 0));
  for (const double kx : {0.0, 0.125, -0.25, 0.5})
    for (const double ky : {0.0, 0.25}) {
      const double factor = std::pow(std::cos(std::numbers::pi * kx) * std::cos(std::numbers::pi * ky), 2);
      EXPECT_NEAR(std::abs(at(filtered, kx, ky) - factor * at(plain, kx, ky)), 0, 2e-3 * whole);
    }
  options.output.replicas = 4;
  EXPECT_THAT(error_of([&] { reconstruct(simulation.scan, options, ctx); }),
              HasSubstr("images without a filter"));
}

}  // namespace
}  // namespace larmor::test
