#include "device_cases.hpp"
#include "error_of.hpp"
#include "peak_memory.hpp"

#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
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

TEST_P(MemoryEstimate, IsWhatIsHeldAtThePeak) {
  const auto& [model, kind] = GetParam();
  const Device device{kind, 0};
  skip_without(device);
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  Context ctx(device, {.threads = 2, .memory_limit = std::size_t{8} << 30}), host = ctx.host();
  SimulationOptions simulation;
  simulation.trajectory = SimulatedTrajectory::kooshball;
  simulation.matrix = {48, 48, 48};
  simulation.coils = 8;
  simulation.readouts = 1200;
  auto simulated = simulate_scan(simulation, host);
  ReconstructOptions options;
  options.coils.maps = simulated.maps;
  options.solve.iterations = 3;
  options.transform.toeplitz = NormalOptions::Toeplitz::on;
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
  // What was there before is no array of the reconstruction's.
  const std::set<std::string> before{"process", "scan", "earlier peak of the process"};
  double estimate = 0;
  for (const auto& item : result.report.memory.items())
    if (!before.contains(item.name)) estimate += static_cast<double>(item.bytes);
  std::string parts;
  for (const auto& item : result.report.memory.items())
    parts += item.name + " " + format_bytes(item.bytes) + "; ";
  EXPECT_LE(held, 1.05 * estimate) << parts;
  EXPECT_LE(estimate, 1.5 * held) << parts;
}

INSTANTIATE_TEST_SUITE_P(Models, MemoryEstimate,
                         testing::Combine(testing::Values(Model::single, Model::series, Model::subspace,
                                                          Model::field_map),
                                          testing::Values(Device::Kind::cpu, Device::Kind::cuda)),
                         estimate_name);

}  // namespace
}  // namespace larmor::test
