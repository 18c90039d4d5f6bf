#include "apps/recon_process.hpp"
#include "foreign_program.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace larmor::test {
namespace {

// A scan written by the ISMRMRD tools: Cartesian points with coordinates, twofold oversampled readouts,
// directions that are all zero, no noise scan.
TEST(ForeignScan, SheppLoganOfTheIsmrmrdToolsIsReconstructed) {
  LARMOR_NEEDS_PROGRAM("ismrmrd_generate_cartesian_shepp_logan");
  const TemporaryFolder folder;
  const std::string scan = folder / "shepp.h5";
  const std::string command =
      "ismrmrd_generate_cartesian_shepp_logan -k -m 64 -c 4 -n 0.01 -o " + scan + " >/dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string before = read_file(scan);
  const Outcome outcome =
      succeed({"run", scan, "-o", folder / "image.npy", "-o", folder / "image.nii.gz", "--quiet"});
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

// h5dump reads in our images the type of the samples and the kind of image, and no member that is too large.
TEST(ForeignScan, H5dumpReadsOurImages) {
  LARMOR_NEEDS_PROGRAM("h5dump");
  const TemporaryFolder folder;
  succeed({"simulate", folder / "s.h5", "--matrix", "32", "--coils", "2", "-q"});
  succeed(
      {"run", folder / "s.h5", "-o", folder / "i.h5", "-o", folder / "i.npy", "--solver", "gridding", "-q"});
  const auto dumped = [&](const std::string& options) {
    const std::string text = folder / "dump";
    EXPECT_EQ(std::system(("h5dump " + options + " " + (folder / "i.h5") + " >" + text).c_str()), 0);
    return read_file(text);
  };
  const std::string attributes = dumped("-d /dataset/image_0/attributes");
  for (const char* name : {"ImageType", "ImageRowDir", "ImageProcessingHistory"})
    EXPECT_NE(attributes.find(name), std::string::npos) << attributes;
  EXPECT_NE(dumped("-d /dataset/xml").find("ismrmrdHeader"), std::string::npos);
  EXPECT_NE(dumped("-H -d /dataset/image_0/data").find("H5T_IEEE_F32LE"), std::string::npos);
  // The numbers equal those of the .npy file.
  dumped("-b LE -o " + (folder / "raw") + " -d /dataset/image_0/data");
  const std::string raw = read_file(folder / "raw");
  const auto image = read_array<double>(folder / "i.npy");
  ASSERT_EQ(raw.size(), sizeof(float) * static_cast<std::size_t>(image.size()));
  for (Index i = 0; i < image.size(); ++i) {
    float value = 0;
    std::memcpy(&value, raw.data() + sizeof value * static_cast<std::size_t>(i), sizeof value);
    ASSERT_EQ(value, static_cast<float>(image[i])) << i;
  }
}

}  // namespace
}  // namespace larmor::test
