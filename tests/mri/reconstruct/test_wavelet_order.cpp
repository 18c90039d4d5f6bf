#include "mri/reconstruct/best_by_hand.hpp"
#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

namespace larmor {
namespace {

using test::automatic_options;
using test::error_in_disc;
using test::error_with;

Simulation few_spokes(Context& ctx, double noise = 0.01) {
  return simulate_scan({.matrix = {96, 96, 1}, .coils = 6, .readouts = 32, .noise = noise, .seed = 1}, ctx);
}

ReconstructOptions with_terms(const Simulation& simulation, const std::vector<const char*>& terms) {
  auto options = automatic_options(simulation);
  options.solve.automatic = false;
  options.solve.regularizers.clear();
  for (const char* term : terms) options.solve.regularizers.push_back(parse_regularizer(term));
  return options;
}

// Wavelets of the order that suits the object, unless one is given.
TEST(WaveletOrder, IsHaarsForObjectsOfFlatParts) {
  Context ctx;
  for (const auto object : {SimulatedObject::head, SimulatedObject::smooth}) {
    const auto simulation = simulate_scan(
        {.matrix = {64, 64, 1}, .coils = 4, .readouts = 25, .noise = 0.01, .object = object}, ctx);
    auto options = automatic_options(simulation);
    options.solve.automatic = false;
    const auto error = [&](const char* term) {
      options.solve.regularizers = {parse_regularizer(term)};
      return error_with(simulation, options, ctx);
    };
    options.solve.regularizers = {parse_regularizer("wavelet:auto")};
    const auto result = reconstruct(simulation.scan, options, ctx);
    const auto& taken = result.report.solution.regularizers.front();
    const bool flat = object == SimulatedObject::head;
    EXPECT_EQ(to_string(taken).ends_with(":order=1"), flat);
    EXPECT_EQ(to_string(taken).find("order") != std::string::npos, flat);
    EXPECT_EQ(result.report.solution.lambda_choice.alternative, flat);
    const double found = error("wavelet:auto"), usual = error("wavelet:auto:order=2");
    if (flat) {
      EXPECT_LT(found, 0.95 * usual);
      // The printed term gives the same image.
      EXPECT_NEAR(error(to_string(taken).c_str()), found, 0.02 * found);
      options.solve.regularizers = {parse_regularizer("wavelet:auto:order=2")};
      EXPECT_THAT(to_string(reconstruct(simulation.scan, options, ctx).report.solution.regularizers.front()),
                  testing::EndsWith(":order=2"));
    } else {
      EXPECT_NEAR(found, usual, 1e-3 * usual);
    }
  }
}

// With wavelets of real images, the iterates diverged if every inner solve started from the previous one.
TEST(WaveletOrder, IsChosenWithoutAPreconditionerToo) {
  Context ctx;
  const auto simulation = few_spokes(ctx, 0.02);
  const auto options = with_terms(simulation, {"wavelet:auto", "real"});
  const auto result = reconstruct(simulation.scan, options, ctx);
  EXPECT_TRUE(result.report.solution.lambda_choice.alternative);
  EXPECT_LT(error_in_disc(result.series.images[0].pixels, simulation.truth, ctx), 0.069);
}

// The shifts are fixed also if the solver or the number of iterations is given: with changing ones the error
// of this image stays at 0.18.
TEST(WaveletShifts, AreFixedForAdmm) {
  Context ctx;
  const auto simulation = few_spokes(ctx);
  auto options = with_terms(simulation, {"wavelet:2e-3"});
  options.solve.solver = Solver::admm;
  EXPECT_LT(error_with(simulation, options, ctx), 0.08);
}

}  // namespace
}  // namespace larmor
