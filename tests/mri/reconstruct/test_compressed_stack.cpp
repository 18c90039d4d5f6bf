#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include "mri/synthetic_scan.hpp"
#include "random_arrays.hpp"

#include <gmock/gmock.h>

// Geometric coil compression as an option of reconstruct().

namespace larmor {
namespace {

using test::error_of;
using testing::HasSubstr;

Simulation stack(Context& ctx) {
  SimulationOptions options{.trajectory = SimulatedTrajectory::stack_of_stars,
                            .matrix = {24, 24, 12},
                            .coils = 8,
                            .readouts = 38,
                            .noise = 0};
  return simulate_scan(options, ctx);
}

double error(const Reconstruction& result, const Array<std::complex<float>>& truth) {
  return test::relative_difference(result.series.images.at(0).pixels, truth);
}

TEST(CompressedStack, KeepsMoreThanOneMatrixForAllSlices) {
  Context ctx;
  const Simulation simulated = stack(ctx);
  ReconstructOptions options{.coils = {.maps = simulated.maps}, .solve = {.iterations = 25}};
  const auto error_of_coils = [&](Index coils, bool geometric) {
    options.prepare.virtual_coils = coils;
    options.coils.geometric_compression = geometric;
    return error(reconstruct(stack(ctx).scan, options, ctx), simulated.truth);
  };
  const double all = error_of_coils(0, false);
  EXPECT_NEAR(error_of_coils(8, true), all, 0.02 * all);  // nothing is discarded
  EXPECT_LT(error_of_coils(4, true), error_of_coils(4, false));
}

TEST(CompressedStack, IsRefusedWhereThereIsNoStack) {
  Context ctx;
  const auto refusal = [&](const SimulationOptions& scan, const auto& change) {
    ReconstructOptions options;
    options.coils.geometric_compression = true;
    options.prepare.virtual_coils = 2;
    change(options);
    return error_of([&] { reconstruct(simulate_scan(scan, ctx).scan, options, ctx); });
  };
  SimulationOptions radial{.matrix = {24, 24, 1}, .coils = 4};
  EXPECT_THAT(refusal(radial, [](auto&) {}), HasSubstr("stack"));
  EXPECT_THAT(refusal(radial, [](auto& o) { o.prepare.virtual_coils = 0; }),
              HasSubstr("needs the number of coils"));
  EXPECT_THAT(refusal(radial, [](auto& o) { o.coils.combine = Combine::rss; }),
              HasSubstr("combine by sense"));
  SimulationOptions planes{
      .trajectory = SimulatedTrajectory::stack_of_stars, .matrix = {16, 16, 6}, .coils = 3};
  EXPECT_THAT(refusal(planes, [](auto& o) { o.prepare.virtual_coils = 4; }), HasSubstr("4"));
}

}  // namespace
}  // namespace larmor
