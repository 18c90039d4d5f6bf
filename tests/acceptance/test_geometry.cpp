// Markers at known positions in the scanner: a NIfTI reader must find them there.
#include "io/temporary_folder.hpp"

#include <larmor/io/images/nifti.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <gtest/gtest.h>
#include <nifti1_io.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numbers>

namespace larmor::test {
namespace {

// A NIfTI file as another program reads it.
class Volume {
 public:
  explicit Volume(const std::string& path) : image_(nifti_image_read(path.c_str(), 1), nifti_image_free) {}

  // Voxel coordinates of a scanner position (LPS, mm).
  Vec3 voxel(const Vec3& lps) const {
    const auto& m = image_->sto_ijk.m;
    const double ras[3] = {-lps[0], -lps[1], lps[2]};
    Vec3 result{};
    for (int i = 0; i < 3; ++i) result[i] = m[i][0] * ras[0] + m[i][1] * ras[1] + m[i][2] * ras[2] + m[i][3];
    return result;
  }
  double value(Index x, Index y, Index z, Index frame) const {
    return static_cast<const float*>(
        image_->data)[((frame * image_->nz + z) * image_->ny + y) * image_->nx + x];
  }

  // Centroid of a Gaussian marker near `at`, in voxels away from it. The window is a Gaussian of the marker's
  // own width around the expected place, so that the product's centroid moves half as far as the marker.
  Vec3 displacement(const Vec3& at, double sigma, Index frame, bool in_plane) const {
    double sum = 0;
    Vec3 moment{};
    const Index z0 = std::lround(at[2]);
    for (Index z = 0; z < image_->nz; ++z) {
      if (in_plane && z != z0) continue;
      for (Index y = 0; y < image_->ny; ++y)
        for (Index x = 0; x < image_->nx; ++x) {
          const Vec3 d{static_cast<double>(x) - at[0], static_cast<double>(y) - at[1],
                       in_plane ? 0.0 : static_cast<double>(z) - at[2]};
          const double weight = std::exp(-(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (2 * sigma * sigma));
          const double v = weight * value(x, y, z, frame);
          sum += v;
          for (int i = 0; i < 3; ++i) moment[i] += v * d[i];
        }
    }
    for (double& m : moment) m *= 2 / sum;
    return moment;
  }

  // Value of the image between voxels, by its Fourier series.
  double interpolated(const Vec3& at, Index frame, bool in_plane) const {
    const auto kernel = [](double d, Index n) {
      if (std::abs(d) < 1e-9) return 1.0;
      const double s = std::sin(std::numbers::pi * d) / static_cast<double>(n);
      return n % 2 ? s / std::sin(std::numbers::pi * d / static_cast<double>(n))
                   : s / std::tan(std::numbers::pi * d / static_cast<double>(n));
    };
    double sum = 0;
    const Index z0 = std::lround(at[2]);
    for (Index z = 0; z < image_->nz; ++z) {
      const double wz = in_plane ? (z == z0 ? 1.0 : 0.0) : kernel(at[2] - static_cast<double>(z), image_->nz);
      if (wz == 0) continue;
      for (Index y = 0; y < image_->ny; ++y)
        for (Index x = 0; x < image_->nx; ++x)
          sum += wz * kernel(at[1] - static_cast<double>(y), image_->ny) *
                 kernel(at[0] - static_cast<double>(x), image_->nx) * value(x, y, z, frame);
    }
    return sum;
  }
  Index frames() const { return image_->nt; }

 private:
  std::unique_ptr<nifti_image, void (*)(nifti_image*)> image_;
};

class Markers : public testing::TestWithParam<Combine> {
 protected:
  void SetUp() override {
    std::ifstream file(std::string(LARMOR_TEST_DATA) + "/markers.json");
    if (!file) GTEST_SKIP() << LARMOR_TEST_DATA << "/markers.json is not there";
    truth_ = nlohmann::json::parse(file);
  }
  Volume volume(const std::string& scan) {
    ReconstructOptions options;
    options.coils.combine = GetParam();
    Context ctx(Device::cpu(), {.threads = 2});
    const auto result = reconstruct(read_ismrmrd(std::string(LARMOR_TEST_DATA) + "/" + scan), options, ctx);
    write_nifti(folder_ / "image.nii", result.series);
    return Volume(folder_ / "image.nii");
  }
  static Vec3 vector(const nlohmann::json& json) { return {json[0], json[1], json[2]}; }

  TemporaryFolder folder_;
  nlohmann::json truth_;
};

TEST_P(Markers, OfAVolumeAreWhereTheyWere) {
  const auto& truth = truth_["markers_3d.h5"];
  const Volume image = volume("markers_3d.h5");
  for (std::size_t i = 0; i < truth["lps_mm"].size(); ++i) {
    const Vec3 at = image.voxel(vector(truth["lps_mm"][i]));
    const Vec3 moved = image.displacement(at, truth["sigma_pixels"][i], 0, false);
    EXPECT_LT(std::hypot(moved[0], moved[1], moved[2]), 0.1) << i;
    if (GetParam() == Combine::rss) {
      const double peak = truth["rss_peaks"][i];
      EXPECT_NEAR(image.interpolated(at, 0, false), peak, 0.03 * peak) << i;
    }
  }
}

TEST_P(Markers, OfSlicesAreWhereTheyWereInBothRepetitions) {
  const auto& truth = truth_["multislice.h5"];
  const Volume image = volume("multislice.h5");
  ASSERT_EQ(image.frames(), 2);
  for (std::size_t slice = 0; slice < truth["slices"].size(); ++slice)
    for (std::size_t i = 0; i < truth["slices"][slice].size(); ++i) {
      const Vec3 at = image.voxel(vector(truth["slices"][slice][i]));
      EXPECT_NEAR(at[2], static_cast<double>(std::lround(at[2])), 0.01);
      const double sigma = truth["sigma_pixels"].is_array() ? truth["sigma_pixels"].at(i).get<double>()
                                                            : truth["sigma_pixels"].get<double>();
      double peaks[2];
      for (const Index frame : {0, 1}) {
        const Vec3 moved = image.displacement(at, sigma, frame, true);
        EXPECT_LT(std::hypot(moved[0], moved[1]), 0.1) << slice << " " << i << " " << frame;
        peaks[frame] = image.interpolated(at, frame, true);
      }
      EXPECT_NEAR(peaks[1] / peaks[0], 2, 0.02) << slice << " " << i;
      if (GetParam() == Combine::rss) {
        const double peak = truth["rss_peaks"][slice][i];
        EXPECT_NEAR(peaks[0], peak, 0.03 * peak) << slice << " " << i;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Combined, Markers, testing::Values(Combine::sense, Combine::rss),
                         [](const auto& parameter) { return std::string(to_string(parameter.param)); });

struct ForeignScan {
  const char* file;
  const char* remedy;
  Vec3 fov_mm;
};

class Foreign : public testing::TestWithParam<ForeignScan> {};

// Files by KomaMRI (in metres) and MRIReco (no units): refused with the option to give, and reconstructed
// with it.
TEST_P(Foreign, IsReadWithTheOverrideThatTheMessageNames) {
  const std::string path = std::string(LARMOR_TEST_DATA) + "/" + GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  Context ctx(Device::cpu(), {.threads = 2});
  ReconstructOptions options;
  options.solve.iterations = 5;
  try {
    reconstruct(read_ismrmrd(path), options, ctx);
    FAIL() << "accepted without an override";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::input);
    EXPECT_EQ(error.parameter(), "fov");
    EXPECT_NE(std::string(error.what()).find(GetParam().remedy), std::string::npos) << error.what();
  }
  options.prepare.grid.fov_mm.assign(GetParam().fov_mm.begin(), GetParam().fov_mm.end());
  const auto result = reconstruct(read_ismrmrd(path), options, ctx);
  ASSERT_EQ(result.series.images.size(), 1u);
  EXPECT_GT(max_magnitude<float>(result.series.images[0].pixels, ctx), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Scans, Foreign,
    testing::Values(ForeignScan{"Koma_signal.mrd", "for example 232.3,232.3,1", {232.3, 232.3, 1}},
                    ForeignScan{"mrireco_brain_sim.h5", "give the true x,y,z in mm", {256, 256, 5}}));

}  // namespace
}  // namespace larmor::test
