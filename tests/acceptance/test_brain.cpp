// A real head, radial and spiral: agreement with converged double-precision minimisers, and image quality
// compared with the truth.
#include "acceptance/npz.hpp"
#include "io/temporary_folder.hpp"
#include "random_arrays.hpp"
#include "scaled_difference.hpp"

#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace larmor::test {
namespace {

using C = std::complex<float>;

class Brain : public testing::TestWithParam<const char*> {
 protected:
  static std::string data(const std::string& name) { return std::string(LARMOR_TEST_DATA) + "/" + name; }
  static std::string scan_file() { return data(std::string("brain_") + GetParam() + ".h5"); }

  void SetUp() override {
    if (!std::filesystem::exists(scan_file())) GTEST_SKIP() << scan_file() << " is not there";
    truth_ = truth_array("image");
    maps_ = truth_array("maps");
  }

  static Array<C> truth_array(const std::string& name) {
    const TemporaryFolder folder;
    const auto bytes = npz_member(data("brain_truth.npz"), name + ".npy");
    std::ofstream(folder / "array.npy", std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return read_npy<C>(folder / "array.npy");
  }

  Array<C> run(const ReconstructOptions& options, Scan scan) {
    auto result = reconstruct(std::move(scan), options, ctx_);
    EXPECT_EQ(result.series.images.size(), 1u);
    return std::move(result.series.images[0].pixels);
  }
  Array<C> run(const ReconstructOptions& options) { return run(options, read_ismrmrd(scan_file())); }

  // NRMSE of magnitudes inside the support of the maps, after scaling by one real factor.
  double head_nrmse(const Array<C>& image) const {
    double cross = 0, energy = 0, error = 0, size = 0;
    const Index pixels = truth_.size();
    const auto on_head = [&](Index i) { return maps_[i] != C(0); };
    for (Index i = 0; i < pixels; ++i)
      if (on_head(i)) {
        cross += static_cast<double>(std::abs(image[i])) * std::abs(truth_[i]);
        energy += std::norm(image[i]);
      }
    for (Index i = 0; i < pixels; ++i)
      if (on_head(i)) {
        const double difference = cross / energy * std::abs(image[i]) - std::abs(truth_[i]);
        error += difference * difference;
        size += std::norm(truth_[i]);
      }
    return std::sqrt(error / size);
  }

  ReconstructOptions tikhonov(double lambda) const {
    ReconstructOptions options{
        .coils = {.maps = maps_},
        .transform = {.tolerance = 1e-4},
        .solve = {.regularizers = {{.name = "l2", .lambda = lambda}}, .iterations = 300, .tolerance = 1e-6},
        .output = {.kind = ImageKind::complex}};
    return options;
  }

  Context ctx_{Device::cpu(), {.threads = 2}};
  Array<C> truth_, maps_;
};

// In double precision, up to the precision of the stored references. Maps that are zero outside the head
// limit the solved field of view to the image's, although a larger one was sampled.
TEST_P(Brain, EqualsTheConvergedMinimiserWithoutRescaling) {
  for (const auto& [lambda, name] : {std::pair(1e-3, "1e-3"), std::pair(1e-2, "1e-2")}) {
    const auto expected = read_npy<C>(data(std::string("brain_") + GetParam() + "_l2_" + name + ".npy"));
    ReconstructOptions options = tikhonov(lambda);
    EXPECT_LT(relative_difference(run(options), expected), 3e-3) << name;
    options.solve.precision = Precision::double_precision;
    options.solve.iterations = 1000;
    options.solve.tolerance = 1e-9;
    options.transform.tolerance = 1e-11;
    EXPECT_LT(relative_difference(run(options), expected), 1e-6) << name;
  }
}

TEST_P(Brain, TwentyIterationsWithTheTrueMapsComeCloseToTheTruth) {
  ReconstructOptions options{.coils = {.maps = maps_}, .solve = {.iterations = 20}};
  EXPECT_LE(scaled_difference(run(options), truth_), std::string(GetParam()) == "radial" ? 0.058 : 0.032);
}

TEST_P(Brain, DefaultsNeedNoMaps) {
  EXPECT_LE(head_nrmse(run({})), std::string(GetParam()) == "radial" ? 0.055 : 0.040);
}

TEST_P(Brain, InversionFindsMapsAsGood) {
  ReconstructOptions options{.coils = {.calibration = Calibration::nlinv}, .solve = {.iterations = 20}};
  EXPECT_LE(head_nrmse(run(options)), std::string(GetParam()) == "radial" ? 0.044 : 0.030);
}

// Gridding with each kind of density weights; Pipe-Menon weights depend on the requested field of view.
TEST_P(Brain, DensityWeightsAgree) {
  ReconstructOptions options;
  options.solve.gridding = true;
  for (const DensityKind density : {DensityKind::pipe, DensityKind::voronoi, DensityKind::analytic}) {
    options.density = density;
    EXPECT_LE(head_nrmse(run(options)), 0.056) << to_string(density);
  }
}

TEST_P(Brain, UnitsAreFound) {
  const Scan scan = read_ismrmrd(scan_file());
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.units.units, std::string(GetParam()) == "radial" ? TrajectoryUnits::normalised
                                                                  : TrajectoryUnits::cycles_per_fov);
}

INSTANTIATE_TEST_SUITE_P(Scans, Brain, testing::Values("radial", "spiral"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace larmor::test
