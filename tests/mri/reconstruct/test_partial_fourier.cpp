#include "error_of.hpp"
#include "mri/reconstruct/best_by_hand.hpp"

#include <gmock/gmock.h>

// Half echoes and partial Fourier of objects with a smooth phase.

namespace larmor::test {
namespace {

using testing::HasSubstr;

Simulation partial(SimulatedTrajectory trajectory, double part, Index matrix = 64) {
  Context ctx;
  SimulationOptions options{
      .trajectory = trajectory, .matrix = {matrix, matrix, 1}, .coils = 4, .readouts = 48, .noise = 0.01};
  options.partial_fourier = part;
  options.phase = 1.5;
  return simulate_scan(options, ctx);
}

ReconstructOptions constrained(const Simulation& simulation) {
  ReconstructOptions options = automatic_options(simulation);
  options.phase_constraint = PhaseConstraint::on;
  return options;
}

double error_of_image(const Reconstruction& found, const Simulation& simulation, Context& ctx) {
  return error_in_disc(found.series.images[0].pixels, simulation.truth, ctx);
}

TEST(PartialFourier, SmoothPhaseTakesMostOfTheErrorAway) {
  Context ctx;
  struct Expected {
    SimulatedTrajectory trajectory;
    double part;
    Index matrix;
    double ratio;
  };
  // The phase is estimated from the centre: for 55 % of 64 lines it has 7 points, of 96 lines 9.
  for (const auto& [trajectory, part, matrix, ratio] :
       {Expected{SimulatedTrajectory::radial, 0.6, 64, 0.6},
        Expected{SimulatedTrajectory::radial, 0.55, 64, 0.6},
        Expected{SimulatedTrajectory::cartesian, 0.6, 64, 0.3},
        Expected{SimulatedTrajectory::cartesian, 0.55, 96, 0.3}}) {
    const Simulation simulation = partial(trajectory, part, matrix);
    const auto plain = reconstruct(simulation.scan, automatic_options(simulation), ctx);
    const auto found = reconstruct(simulation.scan, constrained(simulation), ctx);
    const double error = error_of_image(found, simulation, ctx);
    EXPECT_LT(error, ratio * error_of_image(plain, simulation, ctx)) << part;
    EXPECT_EQ(plain.report.images[0].phase_points, 0);
    EXPECT_GE(found.report.images[0].phase_points, 4);
    // The expected error is as accurate as without the constraint; for spokes it includes the corners of
    // k-space.
    ASSERT_TRUE(found.report.solution.expectation);
    if (trajectory == SimulatedTrajectory::cartesian) {
      EXPECT_NEAR(found.report.solution.expectation->expected.error, error, 0.4 * error) << part;
    }
  }
}

struct Choice {
  double off, on, automatic;  // errors
  bool chosen;
};

Choice choice_for(const SimulationOptions& simulated) {
  Context ctx;
  const Simulation simulation = simulate_scan(simulated, ctx);
  Index points = 0;
  const auto error_with = [&](PhaseConstraint constraint) {
    ReconstructOptions options = automatic_options(simulation);
    options.phase_constraint = constraint;
    const auto found = reconstruct(simulation.scan, options, ctx);
    points = found.report.images[0].phase_points;
    return error_of_image(found, simulation, ctx);
  };
  Choice choice{error_with(PhaseConstraint::off), error_with(PhaseConstraint::on),
                error_with(PhaseConstraint::automatic), false};
  choice.chosen = points > 0;
  EXPECT_LT(choice.automatic, 1.02 * choice.off);
  EXPECT_EQ(choice.automatic, choice.chosen ? choice.on : choice.off);
  return choice;
}

// Smooth and other phases, partial and full echoes: never a loss.
TEST(PartialFourier, CrossValidationChooses) {
  for (const double noise : {0.01, 0.1})
    for (const auto trajectory : {SimulatedTrajectory::radial, SimulatedTrajectory::cartesian})
      for (const double part : {0.6, 1.0})
        for (const bool smooth : {true, false}) {
          SimulationOptions options{
              .trajectory = trajectory, .matrix = {48, 48, 1}, .coils = 4, .readouts = 36, .noise = noise};
          options.partial_fourier = part;
          options.phase = smooth ? 1 : 0;
          options.object = smooth ? SimulatedObject::head : SimulatedObject::phases;
          const Choice choice = choice_for(options);
          if (part == 1) {
            EXPECT_FALSE(choice.chosen);
          } else if (smooth && noise < 0.1) {
            EXPECT_TRUE(choice.chosen);
          }
        }
}

// Several coils predict single lines, but not what the scan lacks.
TEST(PartialFourier, ChosenForLines) {
  for (const double part : {0.6, 0.55}) {
    SimulationOptions options{
        .trajectory = SimulatedTrajectory::cartesian, .matrix = {64, 64, 1}, .coils = 4};
    options.partial_fourier = part;
    options.phase = 1.5;
    const Choice choice = choice_for(options);
    EXPECT_TRUE(choice.chosen) << part;
    EXPECT_LT(choice.automatic, 0.5 * choice.off) << part;
  }
}

// The constraint predicts held-out spokes of this object a little better, but makes a worse image.
TEST(PartialFourier, ResidualThatIsAddedCounts) {
  SimulationOptions options{.trajectory = SimulatedTrajectory::radial,
                            .matrix = {64, 64, 1},
                            .coils = 4,
                            .readouts = 72,
                            .noise = 0.04};
  options.partial_fourier = 0.6;
  options.phase = 1;
  options.object = SimulatedObject::smooth;
  const Choice choice = choice_for(options);
  EXPECT_FALSE(choice.chosen);
  EXPECT_GT(choice.on, 1.1 * choice.off);
}

// Few noisy spokes, predicted somewhat better with the constraint, and an image that is worse.
TEST(PartialFourier, AnUncertainGainIsNoReason) {
  Context ctx;
  SimulationOptions simulated{.trajectory = SimulatedTrajectory::radial,
                              .matrix = {96, 96, 1},
                              .coils = 1,
                              .readouts = 72,
                              .noise = 0.1};
  simulated.partial_fourier = 0.55;
  simulated.object = SimulatedObject::phases;
  const Simulation simulation = simulate_scan(simulated, ctx);
  ReconstructOptions options = automatic_options(simulation);
  options.phase_constraint = PhaseConstraint::automatic;
  EXPECT_EQ(reconstruct(simulation.scan, options, ctx).report.images[0].phase_points, 0);
}

TEST(PartialFourier, EverySolverTakesTheConstraint) {
  Context ctx;
  const Simulation simulation = partial(SimulatedTrajectory::radial, 0.6);
  ReconstructOptions options = constrained(simulation);
  options.solve.automatic = false;
  const auto ratio_with = [&](const char* term, Solver solver) {
    options.solve.regularizers.clear();
    if (*term != 0) options.solve.regularizers = {parse_regularizer(term)};
    options.solve.solver = solver;
    options.phase_constraint = PhaseConstraint::off;
    const double plain = error_of_image(reconstruct(simulation.scan, options, ctx), simulation, ctx);
    options.phase_constraint = PhaseConstraint::on;
    return error_of_image(reconstruct(simulation.scan, options, ctx), simulation, ctx) / plain;
  };
  for (const auto& [term, solver] :
       {std::pair("l2:1e-3", Solver::cg), std::pair("l2:1e-3", Solver::lsmr),
        std::pair("wavelet:5e-3", Solver::fista), std::pair("wavelet:auto", Solver::admm),
        std::pair("tv:2e-3", Solver::admm), std::pair("tv:2e-3", Solver::pdhg)})
    EXPECT_LT(ratio_with(term, solver), 0.85) << term;
}

TEST(PartialFourier, RefusalsSayWhatDoesNotGoTogether) {
  Context ctx;
  const Simulation simulation = partial(SimulatedTrajectory::radial, 0.6);
  const auto refusal = [&](const auto& change) {
    ReconstructOptions options = constrained(simulation);
    change(options);
    return fault_of([&] { reconstruct(simulation.scan, options, ctx); });
  };
  EXPECT_THAT(refusal([](ReconstructOptions& o) { o.solve.automatic = false, o.solve.gridding = true; }),
              HasSubstr("2 phase_constraint: a phase constraint needs an iterative solver"));
  EXPECT_THAT(refusal([](ReconstructOptions& o) { o.output.kind = ImageKind::phase; }),
              HasSubstr("2 phase_constraint: a phase constraint leaves only the phase of the centre"));
  EXPECT_THAT(refusal([](ReconstructOptions& o) { o.output.replicas = 4; }),
              HasSubstr("2 phase_constraint: replicas measure the noise of complex images"));
  EXPECT_THAT(refusal([](ReconstructOptions& o) {
                o.solve.automatic = false;
                o.phase_constraint = PhaseConstraint::automatic;
              }),
              HasSubstr("2 phase_constraint: a phase constraint is chosen with default images"));
  const auto basis = filled<std::complex<double>>({6, 1}, 1);
  EXPECT_THAT(refusal([&](ReconstructOptions& o) {
                o.frames.window = FrameWindow{8, 0};
                o.frames.basis = basis;
              }),
              HasSubstr("2 phase_constraint: a phase constraint is for images"));
  // Two spokes leave gaps everywhere.
  EXPECT_THAT(refusal([](ReconstructOptions& o) {
                o.frames.window = FrameWindow{2, 0};
              }),
              HasSubstr("3 phase_constraint: a phase constraint needs the centre of k-space, of which only"));
}

}  // namespace
}  // namespace larmor::test
