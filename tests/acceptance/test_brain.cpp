// A real head, radial and spiral: agreement with converged double-precision minimisers, image quality
// compared with the truth, and changes of the input that must not change the image.
#include "acceptance/npz.hpp"
#include "io/temporary_folder.hpp"
#include "random_arrays.hpp"

#include <larmor/io/arrays/npy.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

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

  // NRMSE after scaling by one complex factor.
  double nrmse(const Array<C>& image) const {
    std::complex<double> cross = 0;
    double energy = 0;
    for (Index i = 0; i < image.size(); ++i) {
      cross += std::conj(std::complex<double>(image[i])) * std::complex<double>(truth_[i]);
      energy += std::norm(std::complex<double>(image[i]));
    }
    auto scaled = clone(image);
    for (C& value : scaled) value = C(std::complex<double>(value) * cross / energy);
    return relative_difference(scaled, truth_);
  }
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

TEST_P(Brain, EqualsTheConvergedMinimiserWithoutRescaling) {
  for (const auto& [lambda, name] : {std::pair(1e-3, "1e-3"), std::pair(1e-2, "1e-2")}) {
    const auto expected = read_npy<C>(data(std::string("brain_") + GetParam() + "_l2_" + name + ".npy"));
    EXPECT_LT(relative_difference(run(tikhonov(lambda)), expected), 3e-3) << name;
  }
}

// In double precision, up to the precision of the stored references. Maps that are zero outside the head
// limit the solved field of view to the image's, although a larger one was sampled.
TEST_P(Brain, EqualsTheMinimiserInDoublePrecision) {
  for (const auto& [lambda, name] : {std::pair(1e-3, "1e-3"), std::pair(1e-2, "1e-2")}) {
    const auto expected = read_npy<C>(data(std::string("brain_") + GetParam() + "_l2_" + name + ".npy"));
    ReconstructOptions options = tikhonov(lambda);
    options.solve.precision = Precision::double_precision;
    options.solve.iterations = 1000;
    options.solve.tolerance = 1e-9;
    options.transform.tolerance = 1e-11;
    EXPECT_LT(relative_difference(run(options), expected), 1e-6) << name;
  }
}

TEST_P(Brain, TwentyIterationsWithTheTrueMapsComeCloseToTheTruth) {
  ReconstructOptions options{.coils = {.maps = maps_}, .solve = {.iterations = 20}};
  EXPECT_LE(nrmse(run(options)), std::string(GetParam()) == "radial" ? 0.058 : 0.032);
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

TEST_P(Brain, EstimatedMapsGivenBackAreTheDefault) {
  const auto maps = estimate_maps(read_ismrmrd(scan_file()), {}, ctx_);
  ReconstructOptions options;
  options.coils.maps = maps.maps;
  EXPECT_LE(relative_difference(run(options), run({})), 1e-5);
}

TEST_P(Brain, UnitsAreFound) {
  const Scan scan = read_ismrmrd(scan_file());
  const auto plan = plan_scan(scan, {});
  EXPECT_EQ(plan.units.units, std::string(GetParam()) == "radial" ? TrajectoryUnits::normalised
                                                                  : TrajectoryUnits::cycles_per_fov);
}

// For the same λ: data scaled by a thousand, and every readout repeated.
TEST_P(Brain, ScaleAndRepeatedSpokesLeaveTheImageAlone) {
  const auto options = tikhonov(1e-3);
  const auto plain = run(options);

  Scan louder = read_ismrmrd(scan_file());
  for (C& value : louder.data) value *= 1000.0f;
  auto scaled = run(options, std::move(louder));
  for (C& value : scaled) value /= 1000.0f;
  EXPECT_LT(relative_difference(scaled, plain), 0.01);

  Scan twice = read_ismrmrd(scan_file());
  for (std::size_t i = 0, n = twice.readouts.size(); i < n; ++i) {
    const Readout readout = twice.readouts[i];
    if (!readout.header.has(AcquisitionFlag::noise)) twice.readouts.push_back(readout);
  }
  EXPECT_LT(relative_difference(run(options, std::move(twice)), plain), 0.01);
}

INSTANTIATE_TEST_SUITE_P(Scans, Brain, testing::Values("radial", "spiral"),
                         [](const auto& parameter) { return std::string(parameter.param); });

// The same scan with twice as many samples per readout, at the same noise density (twice the variance for
// half the dwell time). Simulated, because a file has no samples between its own.
TEST(Invariance, DenserReadoutsLeaveTheImageAlone) {
  Context ctx(Device::cpu(), {.threads = 2});
  const auto image = [&](Index samples) {
    SimulationOptions simulation{
        .matrix = {64, 64, 1}, .coils = 4, .readouts = 60, .samples = samples, .noise = 1e-4};
    auto simulated = simulate_scan(simulation, ctx);
    ReconstructOptions options{
        .coils = {.maps = simulated.maps},
        .transform = {.tolerance = 1e-4},
        .solve = {.regularizers = {parse_regularizer("l2:1e-2")}, .iterations = 200, .tolerance = 1e-6}};
    return std::move(reconstruct(std::move(simulated.scan), options, ctx).series.images[0].pixels);
  };
  EXPECT_LT(relative_difference(image(512), image(256)), 0.01);
}

}  // namespace
}  // namespace larmor::test
