#include "apps/recon_process.hpp"

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

// A scan with few spokes, and one with many and different noise that supplies coil maps and noise.
TEST(OtherScans, GiveMapsAndNoise) {
  const TemporaryFolder folder;
  const auto at = [&](const std::string& name) { return folder / name; };
  const auto simulate = [&](const std::string& name, const std::string& spokes, const std::string& matrix) {
    succeed({"simulate", at(name), "--matrix", matrix, "--spokes", spokes, "--coils", "4", "--noise", "0.002",
             "--seed", spokes, "--truth", at("truth.npy"), "--maps", at("maps.npy"), "--overwrite",
             "--quiet"});
  };
  simulate("many.h5", "64", "32");
  simulate("few.h5", "24", "48");
  const auto image = [&](const std::string& name, Words more) {
    // The same λ for all maps, because the automatic choice depends on where they are zero. The same device,
    // because the predicted faster one depends on the calibration needed.
    return joined({"run", at("few.h5"), "-o", at(name), "--complex", "--overwrite", "--regularizer",
                   "l2:1e-3", "--iterations", "30", "--device", "cpu"},
                  more);
  };
  succeed(image("true.npy", {"--maps", at("maps.npy"), "--quiet"}));
  const Outcome other =
      succeed(image("other.npy", {"--calibration", at("many.h5"), "--noise", at("many.h5"), "-v"}));
  EXPECT_NE(other.err.find("coil maps from " + at("many.h5")), std::string::npos) << other.err;
  const Outcome compared =
      recon({"compare", at("other.npy"), at("true.npy"), "--magnitude", "--mask", "0.1", "--json"});
  EXPECT_LT(std::stod(compared.out.substr(compared.out.find(':') + 1)), 0.07) << compared.out;
  succeed(image("own.npy", {"--quiet"}));
  EXPECT_GT(difference(at("own.npy"), at("other.npy")), 1e-4);

  // The maps alone, for images that are made later.
  succeed({"maps", at("few.h5"), "-o", at("of-many.npy"), "--calibration", at("many.h5"), "--noise",
           at("many.h5"), "--quiet", "--device", "cpu"});
  succeed(image("later.npy", {"--maps", at("of-many.npy"), "--noise", at("many.h5"), "--quiet"}));
  EXPECT_LT(difference(at("later.npy"), at("other.npy")), 1e-5);

  for (const char* option : {"--calibration", "--noise"}) {
    expect_refused(recon(image("x.npy", {option, at("missing.h5")})), 3, "missing.h5");
    EXPECT_EQ(recon({"maps", at("few.h5"), "-o", at("x.npy"), option, at("missing.h5")}).status, 3);
  }
  succeed({"simulate", at("coils.h5"), "--matrix", "32", "--coils", "3", "--quiet"});
  expect_refused(recon(image("x.npy", {"--calibration", at("coils.h5"), "--quiet"})), 3, "has 3 channels");
}

}  // namespace
}  // namespace larmor::test
