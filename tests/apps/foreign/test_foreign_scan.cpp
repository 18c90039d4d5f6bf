#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace larmor::test {
namespace {

// A scan written by the ISMRMRD tools: Cartesian points with coordinates, twofold oversampled readouts,
// directions that are all zero, no noise scan.
TEST(ForeignScan, SheppLoganOfTheIsmrmrdToolsIsReconstructed) {
  const TemporaryFolder folder;
  const std::string scan = folder / "shepp.h5";
  const std::string command =
      "ismrmrd_generate_cartesian_shepp_logan -k -m 64 -c 4 -n 0.01 -o " + scan + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0)
    GTEST_SKIP() << "ismrmrd_generate_cartesian_shepp_logan is not installed";
  const std::string before = read_file(scan);
  const Outcome outcome =
      recon({"run", scan, "-o", folder / "image.npy", "-o", folder / "image.nii.gz", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("orientation unknown"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_file(scan), before);

  const auto image = read_array(folder / "image.npy");
  ASSERT_EQ(image.shape(), (Shape{64, 64}));
  // The skull is a closed bright ellipse around the darker inside; the corners are empty.
  const auto at = [&](Index y, Index x) { return std::abs(image[y * 64 + x]); };
  float skull = 0, corner = 0;
  for (Index y = 0; y < 12; ++y) skull = std::max(skull, at(y, 32));
  for (Index y = 0; y < 6; ++y) {
    for (Index x = 0; x < 6; ++x) corner = std::max(corner, at(y, x));
  }
  EXPECT_GT(skull, 2 * at(24, 32));
  EXPECT_GT(at(24, 32), 2 * corner);
}

}  // namespace
}  // namespace larmor::test
