#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

double difference(const std::string& a, const std::string& b) {
  const auto x = read_array(a), y = read_array(b);
  EXPECT_EQ(x.shape(), y.shape());
  double error = 0, norm = 0;
  for (Index i = 0; i < x.size(); ++i) {
    error += std::norm(std::complex<double>(x[i]) - std::complex<double>(y[i]));
    norm += std::norm(std::complex<double>(y[i]));
  }
  return std::sqrt(error / norm);
}

// A scan of few spokes, and one of many with other noise, of which coil maps and noise are taken.
TEST(OtherScans, GiveMapsAndNoise) {
  const TemporaryFolder folder;
  const auto at = [&](const std::string& name) { return folder / name; };
  const auto simulate = [&](const std::string& name, const std::string& spokes, const std::string& matrix) {
    ASSERT_EQ(recon({"simulate", at(name), "--matrix", matrix, "--spokes", spokes, "--coils", "4", "--noise",
                     "0.002", "--seed", spokes, "--truth", at("truth.npy"), "--maps", at("maps.npy"),
                     "--overwrite", "--quiet"})
                  .status,
              0);
  };
  simulate("many.h5", "64", "32");
  simulate("few.h5", "24", "48");
  const auto image = [&](const std::string& name, std::vector<std::string> more) {
    // The same weight for all maps: where they are zero tells the automatic choice something else. The same
    // device: whether a GPU is predicted to be faster depends on what has to be calibrated.
    more.insert(more.begin(), {"run", at("few.h5"), "-o", at(name), "--complex", "--overwrite",
                               "--regularizer", "l2:1e-3", "--iterations", "30", "--device", "cpu"});
    return recon(more);
  };
  ASSERT_EQ(image("true.npy", {"--maps", at("maps.npy"), "--quiet"}).status, 0);
  const Outcome other = image("other.npy", {"--calibration", at("many.h5"), "--noise", at("many.h5"), "-v"});
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_NE(other.err.find("coil maps from " + at("many.h5")), std::string::npos) << other.err;
  const Outcome compared =
      recon({"compare", at("other.npy"), at("true.npy"), "--magnitude", "--mask", "0.1", "--json"});
  EXPECT_LT(std::stod(compared.out.substr(compared.out.find(':') + 1)), 0.07) << compared.out;
  ASSERT_EQ(image("own.npy", {"--quiet"}).status, 0);
  EXPECT_GT(difference(at("own.npy"), at("other.npy")), 1e-4);

  // The maps alone, for images that are made later.
  ASSERT_EQ(recon({"maps", at("few.h5"), "-o", at("of-many.npy"), "--calibration", at("many.h5"), "--noise",
                   at("many.h5"), "--quiet", "--device", "cpu"})
                .status,
            0);
  ASSERT_EQ(image("later.npy", {"--maps", at("of-many.npy"), "--noise", at("many.h5"), "--quiet"}).status, 0);
  EXPECT_LT(difference(at("later.npy"), at("other.npy")), 1e-5);

  for (const char* option : {"--calibration", "--noise"}) {
    const Outcome missing = image("x.npy", {option, at("missing.h5")});
    EXPECT_EQ(missing.status, 3);
    EXPECT_NE(missing.err.find("missing.h5"), std::string::npos) << missing.err;
    EXPECT_EQ(recon({"maps", at("few.h5"), "-o", at("x.npy"), option, at("missing.h5")}).status, 3);
  }
  ASSERT_EQ(recon({"simulate", at("coils.h5"), "--matrix", "32", "--coils", "3", "--quiet"}).status, 0);
  const Outcome coils = image("x.npy", {"--calibration", at("coils.h5"), "--quiet"});
  EXPECT_EQ(coils.status, 3);
  EXPECT_EQ(line_count(coils.err), 1) << coils.err;
  EXPECT_NE(coils.err.find("has 3 channels"), std::string::npos) << coils.err;
}

}  // namespace
}  // namespace larmor::test
