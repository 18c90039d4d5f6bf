// An echo train (EPI) simulated by another program: a head that KomaMRI.jl scanned.
#include "mri/reconstruct/best_by_hand.hpp"

#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

namespace larmor::test {
namespace {

TEST(EchoTrain, SimulatedHeadIsItsExactSum) {
  const std::string file = std::string(LARMOR_TEST_DATA) + "/Koma_signal.mrd";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  Context ctx(Device::cpu(), {.threads = 2});
  const Scan scan = read_ismrmrd(file);
  constexpr Index n = 101;
  // Lines run back and forth on a grid of steps 1/100.
  Array<std::complex<double>> lines = filled<std::complex<double>>({n, n}, 0.0);
  for (const Readout& readout : scan.readouts)
    for (Index j = 0; j < n; ++j) {
      const float* k = scan.trajectory.data() + readout.trajectory_offset + 2 * static_cast<std::size_t>(j);
      const Index x = std::lround(100 * k[0]) + 50, y = std::lround(100 * k[1]) + 50;
      lines[y * n + x] = std::complex<double>(scan.samples(readout)[j]);
    }
  const auto turn = [](Index x, Index k) {
    return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>((x - 50) * (k - 50)) / 100);
  };
  auto half = filled<std::complex<double>>({n, n}, 0.0), expected = filled<std::complex<double>>({n, n}, 0.0);
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x)
      for (Index k = 0; k < n; ++k) half[y * n + x] += turn(x, k) * lines[y * n + k];
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x)
      for (Index k = 0; k < n; ++k) expected[y * n + x] += turn(y, k) * half[k * n + x];

  ReconstructOptions options;
  options.prepare.grid.matrix = {n, n};
  options.prepare.grid.fov_mm = {232.3, 232.3, 1};  // the file has it in metres
  const auto result = reconstruct(scan, options, ctx);
  const auto& image = result.series.images.front().pixels;
  ASSERT_EQ(image.size(), n * n);
  // The unregularised sum has the noise of the outermost samples as well.
  const auto exact = converted<std::complex<float>>(expected.view());
  EXPECT_LT(error_of_magnitudes(image, exact, 0), 0.03);
}

}  // namespace
}  // namespace larmor::test
