#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include "mri/small_sense.hpp"

#include <gmock/gmock.h>

#include <optional>

// Interrupted reconstructions that are continued.

namespace larmor {
namespace {

using namespace test::small_sense;
using test::error_of;
using testing::HasSubstr;

struct SolverCase {
  Solver solver;
  const char* term;
  Precision precision = Precision::single_precision;
  bool series = false;
};

std::string name_of(const testing::TestParamInfo<SolverCase>& info) {
  return std::string(to_string(info.param.solver)) +
         (info.param.precision == Precision::double_precision ? "Double" : "") +
         (info.param.series ? "Series" : "");
}

ReconstructOptions options_of(const SolverCase& c, View<const std::complex<float>> maps) {
  ReconstructOptions options{.coils = {.maps = maps},
                             .solve = {.solver = c.solver,
                                       .regularizers = {parse_regularizer(c.term)},
                                       .iterations = 20,
                                       .precision = c.precision}};
  if (c.series) options.frames.window = FrameWindow{12, 12};
  return options;
}

class LeftReconstruction : public testing::TestWithParam<SolverCase> {};

TEST_P(LeftReconstruction, EndsWithTheSameBits) {
  Context ctx;
  const auto maps = coil_maps(3);
  ReconstructOptions options = options_of(GetParam(), maps);
  const auto whole = reconstruct(sense_scan(3, ctx), options, ctx);

  std::vector<SavedState> states;
  options.solve.checkpoint = [&](SavedState state) { states.push_back(std::move(state)); };
  options.solve.checkpoint_every = 8;
  options.solve.iterations = 17;
  reconstruct(sense_scan(3, ctx), options, ctx);
  ASSERT_EQ(states.size(), 2U);

  options.solve.iterations = 20;
  options.solve.resume = &states[1];
  const auto resumed = reconstruct(sense_scan(3, ctx), options, ctx);
  EXPECT_EQ(resumed.report.images.at(0).history.size(), 4U);
  ASSERT_EQ(resumed.series.images.size(), whole.series.images.size());
  for (std::size_t i = 0; i < whole.series.images.size(); ++i)
    EXPECT_EQ(difference(resumed.series.images[i].pixels, whole.series.images[i].pixels), 0) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, LeftReconstruction,
    testing::Values(SolverCase{Solver::cg, "l2:1e-2"}, SolverCase{Solver::lsmr, "l2:1e-2"},
                    SolverCase{Solver::fista, "wavelet:1e-2:shifts=0", Precision::double_precision},
                    SolverCase{Solver::admm, "tv:1e-2"}, SolverCase{Solver::pdhg, "tv:1e-2"},
                    SolverCase{Solver::pdhg, "ttv:1e-2", Precision::single_precision, true}),
    name_of);

TEST(Checkpoint, OfTheSecondImage) {
  Context ctx;
  const auto maps = coil_maps(3);
  Scan scan = sense_scan(3, ctx);
  for (std::size_t r = scan.readouts.size() / 2; r < scan.readouts.size(); ++r)
    scan.readouts[r].header.counters.repetition = 1;
  ReconstructOptions options = options_of({Solver::cg, "l2:1e-2"}, maps);
  std::optional<SavedState> last;
  options.solve.checkpoint = [&](SavedState state) { last = std::move(state); };
  options.solve.checkpoint_every = 8;
  const auto whole = reconstruct(scan, options, ctx);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->image, 1);
  options.solve.resume = &*last;
  options.solve.checkpoint_every = 0;
  const auto resumed = reconstruct(scan, options, ctx);
  EXPECT_EQ(resumed.report.images.at(0).history.size(), 20U);
  EXPECT_EQ(resumed.report.images.at(1).history.size(), 4U);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(difference(resumed.series.images[i].pixels, whole.series.images[i].pixels), 0) << i;
}

// A corrected delay that the scan does not have leaves unexplained data, which is taken for noise at
// intermediate steps.
TEST(Checkpoint, OfTheLeastErrorChangesNothing) {
  Context ctx;
  SimulationOptions simulation;
  simulation.matrix = {32, 32, 1};
  simulation.coils = 4;
  simulation.noise = 0.002;
  const auto simulated = simulate_scan(simulation, ctx);
  ReconstructOptions options;
  options.coils.maps = simulated.maps;
  options.prepare.delay = {0.8, 0.4};
  options.solve.automatic = true;
  const auto whole = reconstruct(simulated.scan, options, ctx);
  std::vector<SavedState> states;
  options.solve.checkpoint = [&](SavedState state) { states.push_back(std::move(state)); };
  options.solve.checkpoint_every = 3;
  const auto saved = reconstruct(simulated.scan, options, ctx);
  EXPECT_EQ(difference(saved.series.images[0].pixels, whole.series.images[0].pixels), 0);
  const std::vector<SavedState> from = std::move(states);
  ASSERT_GE(from.size(), 2U);
  EXPECT_EQ(from.front().noise_variance, 0);
  EXPECT_GT(from.back().noise_variance, 0);
  for (const SavedState* state : {&from.front(), &from.back()}) {
    options.solve.resume = state;
    const auto resumed = reconstruct(simulated.scan, options, ctx);
    EXPECT_EQ(difference(resumed.series.images[0].pixels, whole.series.images[0].pixels), 0);
  }
}

TEST(Checkpoint, OfSomethingElseIsRefused) {
  Context ctx;
  const auto maps = coil_maps(3);
  ReconstructOptions options = options_of({Solver::fista, "l1:1e-2"}, maps);
  std::optional<SavedState> last;
  options.solve.checkpoint = [&](SavedState state) { last = std::move(state); };
  options.solve.checkpoint_every = 10;
  const Scan scan = sense_scan(3, ctx);
  reconstruct(scan, options, ctx);
  ASSERT_TRUE(last);
  options.solve.resume = &*last;
  const auto refusal = [&](const auto& change) {
    ReconstructOptions changed = options;
    Scan data = scan;
    change(changed, data);
    return error_of([&] { reconstruct(data, changed, ctx); });
  };
  EXPECT_THAT(refusal([](auto& o, auto&) { o.solve.regularizers = {parse_regularizer("l1:1e-3")}; }),
              HasSubstr("regularizer l1:0.01, not l1:0.001"));
  EXPECT_THAT(refusal([](auto& o, auto&) { o.solve.precision = Precision::double_precision; }),
              HasSubstr("single precision"));
  EXPECT_THAT(refusal([](auto& o, auto&) { o.solve.solver = Solver::pdhg; }), HasSubstr("solver 'fista'"));
  EXPECT_THAT(refusal([](auto&, auto& data) {
                for (auto& value : data.data) value *= 2.0F;
              }),
              HasSubstr("other data"));
  EXPECT_THAT(refusal([](auto&, auto& data) {
                for (auto& value : data.data) value *= std::polar(1.0F, 0.01F);
              }),
              HasSubstr("other data"));
  EXPECT_THAT(refusal([](auto&, auto& data) {
                for (std::size_t i = 0; i < data.data.size(); i += 7)
                  std::swap(data.data[i], data.data[i / 2]);
              }),
              HasSubstr("other data"));
  EXPECT_THAT(refusal([](auto& o, auto&) { o.output.replicas = 4; }), HasSubstr("without replicas"));
  EXPECT_THAT(refusal([](auto& o, auto&) {
                o.solve.gridding = true;
                o.solve.regularizers.clear();
              }),
              HasSubstr("gridding"));
}

TEST(StepSize, IsReportedWhereItIsConstant) {
  Context ctx;
  const auto maps = coil_maps(3);
  for (const auto& [solver, factor] : {std::pair(Solver::fista, 1 / 1.02),
                                       std::pair(Solver::pdhg, 1.8 / 1.02), std::pair(Solver::admm, 0.0)}) {
    const auto found = reconstruct(sense_scan(3, ctx), options_of({solver, "l1:1e-2"}, maps), ctx);
    const ImageReport& image = found.report.images[0];
    EXPECT_NEAR(image.step_size * image.operator_norm_squared, factor, 1e-9) << to_string(solver);
  }
}

}  // namespace
}  // namespace larmor
