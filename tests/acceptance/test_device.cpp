// Whole reconstructions give the same images on a CUDA device and on the CPU.
#include "device_cases.hpp"

#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <filesystem>

namespace larmor::test {
namespace {

class WholeReconstruction : public testing::TestWithParam<const char*> {
 protected:
  static std::string file() { return std::string(LARMOR_TEST_DATA) + "/" + GetParam(); }
  void SetUp() override {
    skip_without(Device::cuda());
    if (!IsSkipped() && !std::filesystem::exists(file())) GTEST_SKIP() << file() << " is not there";
  }
  static Reconstruction run(const ReconstructOptions& options, const Device& device) {
    Context ctx(device, {.threads = 2});
    return reconstruct(read_ismrmrd(file()), options, ctx);
  }
  static void expect_equal(const Reconstruction& a, const Reconstruction& b) {
    ASSERT_EQ(a.series.images.size(), b.series.images.size());
    for (std::size_t i = 0; i < a.series.images.size(); ++i)
      EXPECT_LT(relative_difference(a.series.images[i].pixels, b.series.images[i].pixels), 1e-3) << i;
  }
};

TEST_P(WholeReconstruction, CudaEqualsTheCpu) {
  ReconstructOptions options{.transform = {.tolerance = 1e-4},
                             .solve = {.regularizers = {parse_regularizer("l2:1e-3")}},
                             .output = {.kind = ImageKind::complex}};
  expect_equal(run(options, Device::cuda()), run(options, Device::cpu()));
}

TEST_P(WholeReconstruction, CudaEqualsTheCpuForGriddingAndRootSumOfSquares) {
  ReconstructOptions options{.coils = {.combine = Combine::rss},
                             .transform = {.tolerance = 1e-4},
                             .solve = {.gridding = true},
                             .output = {.kind = ImageKind::complex}};
  expect_equal(run(options, Device::cuda()), run(options, Device::cpu()));
}

TEST_P(WholeReconstruction, CudaInDoublePrecisionEqualsTheCpu) {
  ReconstructOptions options{.transform = {.tolerance = 1e-5},
                             .solve = {.iterations = 10, .precision = Precision::double_precision},
                             .output = {.kind = ImageKind::complex}};
  expect_equal(run(options, Device::cuda()), run(options, Device::cpu()));
}

INSTANTIATE_TEST_SUITE_P(OnCuda, WholeReconstruction,
                         testing::Values("brain_radial.h5", "brain_spiral.h5", "markers_3d.h5"),
                         [](const auto& chosen) {
                           const std::string name = chosen.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(MemoryOnCuda, LessThanWhatIsWantedGivesTheSameImage) {
  skip_without(Device::cuda());
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  SimulationOptions simulation{.trajectory = SimulatedTrajectory::kooshball,
                               .matrix = {48, 48, 48},
                               .coils = 16,
                               .readouts = 3000,
                               .seed = 1};
  ReconstructOptions options;
  options.output.kind = ImageKind::complex;
  options.solve.iterations = 5;
  options.transform.tolerance = 1e-4;
  const auto run = [&](std::size_t limit, bool given_maps) {
    Context ctx(Device::cuda(), {.threads = 2, .memory_limit = limit});
    const Simulation simulated = simulate_scan(simulation, ctx);
    options.coils.maps = {};
    if (given_maps) options.coils.maps = simulated.maps.view();
    return reconstruct(simulated.scan, options, ctx);
  };
  // With maps from the data, most of the memory is for their estimation, which moves to the CPU if memory is
  // short.
  for (const bool given_maps : {false, true}) {
    const Reconstruction free = run(std::size_t{8} << 30, given_maps);
    EXPECT_EQ(free.report.memory.coil_block, 0);
    // With the lowest limit, maps and samples stay in host memory, and a few coils at a time are on the
    // device.
    for (const double part : {0.67, 0.33}) {
      const auto limit =
          static_cast<std::size_t>(part * static_cast<double>(free.report.memory.plan.total()));
      const Reconstruction tight = run(limit, given_maps);
      EXPECT_LE(tight.report.memory.plan.total(), limit);
      EXPECT_LT(relative_difference(tight.series.images[0].pixels, free.series.images[0].pixels), 1e-3);
      if (given_maps) {
        EXPECT_EQ(tight.report.memory.coil_block > 0, part < 0.5);
      }
    }
  }
}

}  // namespace
}  // namespace larmor::test
