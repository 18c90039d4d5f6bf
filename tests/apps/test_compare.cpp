#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

// A bright and a dim half; only the reference has waves in the corners of k-space.
struct ImageAndReference {
  Array<std::complex<float>> image{{32, 32}}, reference{{32, 32}};
  ImageAndReference() {
    for (Index i = 0; i < image.size(); ++i) {
      const double y = static_cast<double>(i / 32), x = static_cast<double>(i % 32);
      const double low = 2 + std::cos(2 * std::numbers::pi * y / 32);
      image[i] = static_cast<float>(low);
      reference[i] = static_cast<float>(low + 0.3 * std::cos(2 * std::numbers::pi * (13 * y + 13 * x) / 32));
    }
  }
};

nlohmann::json compared(const Words& arguments) {
  const Outcome outcome = succeed(joined({"compare", "--json"}, arguments));
  return outcome.status == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

TEST(Compare, InsideOfKspaceAlone) {
  const TemporaryFolder folder;
  const ImageAndReference pair;
  const std::string image = folder / "a.npy", reference = folder / "b.npy";
  write_array<std::complex<float>>(image, pair.image.view());
  write_array<std::complex<float>>(reference, pair.reference.view());
  EXPECT_GT(compared({image, reference})["nrmse"], 0.05);
  EXPECT_LT(compared({image, reference, "--inside", "disc"})["nrmse"], 1e-5);
  EXPECT_LT(compared({image, reference, "--inside", "ball", "--magnitude"})["nrmse"], 1e-5);

  // The hull of a diamond excludes the corners of k-space, that of a square includes them.
  const auto hull = [&](const std::vector<double>& k) {
    Array<double> points({4, 2});
    std::copy(k.begin(), k.end(), points.begin());
    write_array<double>(folder / "k.npy", points.view(), true);
    return compared({image, reference, "--inside", folder / "k.npy"})["nrmse"].get<double>();
  };
  EXPECT_LT(hull({-0.5, 0, 0.5, 0, 0, -0.5, 0, 0.5}), 1e-5);
  EXPECT_GT(hull({-0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5}), 0.05);

  const std::string scan = folder / "scan.h5";
  succeed({"simulate", scan, "--trajectory", "radial", "--matrix", "32", "--coils", "1"});
  EXPECT_LT(compared({image, reference, "--inside", scan})["nrmse"], 1e-5);
}

TEST(Compare, WhereTheReferenceIsBright) {
  const TemporaryFolder folder;
  const ImageAndReference pair;
  const std::string image = folder / "a.npy", reference = folder / "b.npy";
  write_array<std::complex<float>>(image, pair.image.view());
  write_array<std::complex<float>>(reference, pair.reference.view());
  Index bright = 0;
  float largest = 0;
  for (const auto& pixel : pair.reference) largest = std::max(largest, std::abs(pixel));
  for (const auto& pixel : pair.reference) bright += std::abs(pixel) > 0.7F * largest ? 1 : 0;
  ASSERT_GT(bright, 10);
  ASSERT_LT(bright, 1000);
  EXPECT_EQ(compared({image, reference, "--mask", "0.7"})["pixels"], bright);
  EXPECT_EQ(compared({image, reference, "--mask", "0"})["pixels"], 1024);
  auto mask = filled<float>({32, 32}, 1);
  mask[5] = 0;
  write_array<float>(folder / "mask.npy", mask.view());
  EXPECT_EQ(compared({image, reference, "--mask", folder / "mask.npy"})["pixels"], 1023);
}

TEST(Compare, WhatCannotBeComparedIsOneLine) {
  const TemporaryFolder folder;
  const ImageAndReference pair;
  const std::string image = folder / "a.npy";
  write_array<std::complex<float>>(image, pair.image.view());
  const auto refused = [&](const Words& more, int status, const std::string& word) {
    expect_refused(recon(joined({"compare", image, image}, more)), status, word);
  };
  write_array<float>(folder / "small.npy", filled<float>({3, 4}, 1).view());
  expect_refused(recon({"compare", image, folder / "small.npy"}), 3, "[3, 4]");
  refused({"--mask", "1.5"}, 2, "--mask 1.5: expected a file, or a fraction");
  refused({"--inside", "circle"}, 2, "circle");
  refused({"--inside", image}, 3, "expected real ones");
  write_array<double>(folder / "k.npy", filled<double>({7, 2}, 3.0).view());
  refused({"--inside", folder / "k.npy"}, 3, "expected a trajectory");
  const std::string scan = folder / "scan.h5";
  succeed({"simulate", scan, "--trajectory", "radial", "--matrix", "24", "--coils", "1"});
  refused({"--inside", scan}, 3, "[24, 24]");
  expect_refused(recon({"compare", scan, image}), 3, "holds the readouts of a scan, expected images");
}

}  // namespace
}  // namespace larmor::test
