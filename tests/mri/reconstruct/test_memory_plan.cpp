#include "device_cases.hpp"
#include "error_of.hpp"
#include "mri/synthetic_scan.hpp"
#include "peak_memory.hpp"

#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

namespace larmor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MemoryPlan, SaysHowManyBytesAreMissing) {
  MemoryPlan plan;
  plan.add("images", 1000000);
  plan.add("grids", 3000000);
  EXPECT_EQ(plan.total(), 4000000u);
  EXPECT_NO_THROW(plan.require(4000000));
  EXPECT_THAT(error_of([&] { plan.require(1500000); }), AllOf(HasSubstr("2 MB missing"), HasSubstr("grids")));
}

enum class Model { single, series, subspace, field_map };

class MemoryEstimate : public testing::TestWithParam<std::tuple<Model, Device::Kind>> {};

std::string estimate_name(const testing::TestParamInfo<MemoryEstimate::ParamType>& info) {
  constexpr const char* names[] = {"Single", "Series", "Subspace", "FieldMap"};
  return std::string(std::get<1>(info.param) == Device::Kind::cuda ? "Cuda" : "Cpu") +
         names[static_cast<int>(std::get<0>(info.param))];
}

// held: peak memory, less the memory in use before.
void expect_about(double held, const MemoryPlan& plan) {
  // Memory in use before does not belong to the reconstruction.
  const std::set<std::string> before{"process", "scan", "earlier peak of the process"};
  double estimate = 0;
  std::string parts;
  for (const auto& item : plan.items()) {
    if (!before.contains(item.name)) estimate += static_cast<double>(item.bytes);
    parts += item.name + " " + format_bytes(item.bytes) + "; ";
  }
  EXPECT_LE(held, 1.05 * estimate) << parts;
  EXPECT_LE(estimate, 1.5 * held) << parts;
}

TEST_P(MemoryEstimate, IsWhatIsHeldAtThePeak) {
  const auto& [model, kind] = GetParam();
  const Device device{kind, 0};
  skip_without(device);
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  Context ctx(device, {.threads = 2, .memory_limit = std::size_t{8} << 30}), host = ctx.host();
  SimulationOptions simulation{
      .trajectory = SimulatedTrajectory::kooshball, .matrix = {48, 48, 48}, .coils = 8, .readouts = 1200};
  auto simulated = simulate_scan(simulation, host);
  ReconstructOptions options{.coils = {.maps = simulated.maps},
                             .transform = {.toeplitz = NormalOptions::Toeplitz::on},
                             .solve = {.iterations = 3}};
  Array<float> field({48, 48, 48});
  for (Index i = 0; i < field.size(); ++i) field[i] = 20 * std::sin(0.2F * static_cast<float>(i % 48));
  Array<std::complex<double>> basis({2, 1});
  basis[0] = 1;
  basis[1] = 0.5;
  if (model == Model::series || model == Model::subspace) options.frames.window = FrameWindow{600, 600};
  if (model == Model::subspace) options.frames.basis = basis;
  if (model == Model::field_map) options.field.frequency = field;

  const PeakMemory peak(device);
  const Reconstruction result = reconstruct(std::move(simulated.scan), options, ctx);
  const auto held = static_cast<double>(peak.bytes());
  expect_about(held, result.report.memory.plan);
}

// Many coils and few pixels: the estimation of maps needs most memory.
TEST(MemoryPlan, CountsTheFitOfTheCentre) {
  Context ctx(Device::cpu(), {.threads = 2, .memory_limit = std::size_t{8} << 30});
  auto simulated = simulate_scan({.trajectory = SimulatedTrajectory::kooshball,
                                  .matrix = {36, 36, 36},
                                  .coils = 16,
                                  .readouts = 600,
                                  .maps = false},
                                 ctx);
  ReconstructOptions options;
  options.solve.iterations = 3;
  const PeakMemory peak(Device::cpu());
  const Reconstruction result = reconstruct(std::move(simulated.scan), options, ctx);
  expect_about(static_cast<double>(peak.bytes()), result.report.memory.plan);
}

INSTANTIATE_TEST_SUITE_P(Models, MemoryEstimate,
                         testing::Combine(testing::Values(Model::single, Model::series, Model::subspace,
                                                          Model::field_map),
                                          testing::Values(Device::Kind::cpu, Device::Kind::cuda)),
                         estimate_name);

TEST(MemoryPlan, SmallerLimitsChooseSmallerForms) {
  Context plenty(Device::cpu(), {.threads = 1, .memory_limit = std::size_t{8} << 30});
  Scan scan = empty_scan({64, 64, 64}, {64, 64, 64});
  for (int i = 0; i < 3; ++i) add_readout(scan, {0.5F, 0, 0, 0, 0.5F, 0, 0, 0, 0.5F}, 3, 8);
  const auto plan = plan_scan(scan, {});
  const auto largest = preview_reconstruction(scan, plan, {}, plenty).memory;
  Context tight(Device::cpu(), {.threads = 1, .memory_limit = largest.total() - 1});
  const auto smaller = preview_reconstruction(scan, plan, {}, tight).memory;
  EXPECT_LT(smaller.total(), largest.total());
  Context too_tight(Device::cpu(), {.threads = 1, .memory_limit = std::size_t{1} << 20});
  EXPECT_THAT(error_of([&] { preview_reconstruction(scan, plan, {}, too_tight); }),
              HasSubstr("not enough memory"));
}

// Decisions within a memory limit, and the memory of the reconstruction alone.
struct Decided {
  bool fits = false, toeplitz = false;
  std::size_t bytes = 0;
};

TEST(MemoryDecision, LosesNoFormThatASmallerLimitOrEstimateAllows) {
  Context maker(Device::cpu(), {.threads = 2});
  const auto simulated = simulate_scan(
      {.trajectory = SimulatedTrajectory::kooshball, .matrix = {48, 48, 48}, .coils = 2, .readouts = 4000},
      maker);
  ReconstructOptions options{.coils = {.maps = simulated.maps}, .solve = {.iterations = 30}};
  const ScanPlan plan = plan_scan(simulated.scan, options.prepare);
  const ProblemList list = plan_problems(plan, 2, options);
  const auto decide = [&](std::size_t limit) {
    Context ctx(Device::cpu(), {.threads = 2, .memory_limit = limit});
    const MemoryDecision nothing_before;
    Decided result;
    try {
      const MemoryDecision found =
          decide_memory(simulated.scan, plan, list, 2, options, ctx, &nothing_before);
      result = {true, found.normal.toeplitz == NormalOptions::Toeplitz::on, found.plan.total()};
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::resource);
    }
    return result;
  };
  const Decided unlimited = decide(std::size_t{8} << 30);
  ASSERT_TRUE(unlimited.fits && unlimited.toeplitz);
  // The limit below which there is no Toeplitz form; above it there is always one.
  std::size_t least = unlimited.bytes;
  bool seen = false;
  for (int step = 20; step <= 200; ++step) {
    const std::size_t limit = unlimited.bytes / 100 * static_cast<std::size_t>(step);
    const Decided found = decide(limit);
    if (found.fits) {
      EXPECT_LE(found.bytes, limit);
    }
    if (found.toeplitz && !seen) least = limit;
    EXPECT_TRUE(found.toeplitz || !seen) << "lost at " << step << " %";
    seen = seen || found.toeplitz;
  }
  EXPECT_TRUE(seen);
  // Blocks of the point-spread function processed in turn need less memory than all at once.
  EXPECT_LT(static_cast<double>(least), 0.8 * static_cast<double>(unlimited.bytes));
}

}  // namespace
}  // namespace larmor::test
