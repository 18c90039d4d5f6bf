#include <larmor/mri/reconstruct/reconstruct.hpp>

#include "mri/small_sense.hpp"

#include <gmock/gmock.h>

// Solvers and priors as options of reconstruct().

namespace larmor {
namespace {

using namespace test::small_sense;
using test::add_spokes;
using test::error_of;
using testing::HasSubstr;

ReconstructOptions options_with(View<const std::complex<float>> maps, const std::string& term) {
  ReconstructOptions options{
      .coils = {.maps = maps}, .transform = {.tolerance = 1e-6}, .solve = {.iterations = 60}};
  if (!term.empty()) options.solve.regularizers = {parse_regularizer(term)};
  return options;
}

/// A scan whose repetitions differ in brightness.
Scan repeated_scan(Context& ctx) {
  Scan scan = sense_scan(3, ctx);
  const std::size_t one = scan.readouts.size();
  Maps image = object();
  for (auto& value : image) value *= 3.0F;
  add_spokes(scan, coil_images(coil_maps(3), image, ctx), spokes, ctx);
  for (std::size_t r = one; r < scan.readouts.size(); ++r) scan.readouts[r].header.counters.repetition = 1;
  return scan;
}

TEST(ReconstructSolvers, LsmrReachesTheMinimumWithoutATable) {
  Context ctx;
  const auto maps = coil_maps(3);
  struct Case {
    const char* term;
    Index iterations, replicas;
    double accuracy;
    bool series = false;
  };
  // Without a term, the remaining components after 20 iterations are in the null space.
  for (const Case& c : {Case{"", 20, 0, 5e-3}, {"l2:1e-2", 60, 4, 1e-4}, {"l2:1e-2", 60, 0, 1e-4, true}}) {
    ReconstructOptions options = options_with(maps, c.term);
    options.solve.iterations = c.iterations;
    options.output.replicas = c.replicas;
    if (c.series) options.frames.window = FrameWindow{12, 12};
    const auto expected = reconstruct(sense_scan(3, ctx), options, ctx);
    options.solve.solver = Solver::lsmr;
    const auto found = reconstruct(sense_scan(3, ctx), options, ctx);
    EXPECT_EQ(found.report.solution.solver, "lsmr");
    EXPECT_FALSE(found.report.transform.toeplitz);
    ASSERT_EQ(found.series.images.size(), c.series ? 2U : 1U);
    for (std::size_t i = 0; i < found.series.images.size(); ++i)
      EXPECT_LT(difference(found.series.images[i].pixels, expected.series.images[i].pixels), c.accuracy);
    for (std::size_t i = 0; i < found.quality.deviation.images.size(); ++i)
      EXPECT_LT(
          difference(found.quality.deviation.images[i].pixels, expected.quality.deviation.images[i].pixels),
          10 * c.accuracy);
  }
  ReconstructOptions automatic = options_with(maps, "l2:auto");
  automatic.solve.solver = Solver::lsmr;
  const auto found = reconstruct(sense_scan(3, ctx), automatic, ctx);
  EXPECT_GT(found.report.solution.regularizers.at(0).lambda, 0);
  EXPECT_LT(difference(found.series.images[0].pixels, object()), 2e-2);
}

TEST(ReconstructSolvers, RefuseWhatTheyCannotSolve) {
  Context ctx;
  const auto maps = coil_maps(3);
  const auto refusal = [&](Solver solver, const std::string& term, NormalOptions::Toeplitz toeplitz) {
    ReconstructOptions options = options_with(maps, term);
    options.solve.solver = solver;
    options.transform.toeplitz = toeplitz;
    return error_of([&] { reconstruct(sense_scan(3, ctx), options, ctx); });
  };
  using Toeplitz = NormalOptions::Toeplitz;
  EXPECT_THAT(refusal(Solver::lsmr, "tv:1e-3", Toeplitz::automatic), HasSubstr("only the regularizer l2"));
  EXPECT_THAT(refusal(Solver::cg, "tv:1e-3", Toeplitz::automatic), HasSubstr("only the regularizer l2"));
  EXPECT_THAT(refusal(Solver::lsmr, "", Toeplitz::on), HasSubstr("not on the Toeplitz form"));
}

TEST(ReconstructSolvers, APriorIsWhatAHeavyWeightGives) {
  Context ctx;
  const auto maps = coil_maps(3);
  Maps prior({n, n});
  for (Index i = 0; i < prior.size(); ++i) prior[i] = {0.1F * static_cast<float>(i % n), -0.2F};
  for (const Solver solver : {Solver::cg, Solver::lsmr, Solver::fista, Solver::admm}) {
    ReconstructOptions options = options_with(maps, "l2:1e4:prior=p.npy");
    options.solve.solver = solver;
    options.solve.priors = {{"p.npy", prior}};
    const auto result = reconstruct(sense_scan(3, ctx), options, ctx);
    EXPECT_LT(difference(result.series.images[0].pixels, prior), 1e-3) << to_string(solver);
    // With the image itself as prior, any weight leaves it unchanged.
    const auto truth = object();
    options.solve.regularizers = {parse_regularizer("l2:0.3:prior=p.npy")};
    options.solve.priors = {{"p.npy", truth}};
    const auto same = reconstruct(sense_scan(3, ctx), options, ctx);
    EXPECT_LT(difference(same.series.images[0].pixels, truth), 2e-3) << to_string(solver);
  }
}

// Pixels where all maps are zero are not determined by data, and regularisers fill them in their own way.
TEST(ReconstructSolvers, WhatNoCoilSeesIsZero) {
  Context ctx;
  constexpr Index unseen = 3;  // columns, at the left of the first set and at the right of the second
  Maps sets({2, 3, n, n});
  const auto maps = coil_maps(3);
  for (Index i = 0; i < sets.size(); ++i) {
    const Index x = i % n;
    const bool seen = i < maps.size() ? x >= unseen : x < n - unseen;
    sets[i] = seen ? maps[i % maps.size()] : 0.0F;
  }
  const auto energy_of = [&](const Image& image, bool left) {
    double energy = 0;
    for (Index p = 0; p < image.pixels.size(); ++p)
      if (left ? p % n < unseen : p % n >= n - unseen) energy += std::norm(image.pixels[p]);
    return energy;
  };
  for (const std::string term : {"wavelet:1e-3:order=1", "tv:1e-3", "tgv:1e-3", "l1:1e-3"}) {
    ReconstructOptions options = options_with(sets.view().slice(0), term);
    const auto single = reconstruct(sense_scan(3, ctx), options, ctx);
    EXPECT_EQ(energy_of(single.series.images[0], true), 0) << term;
    EXPECT_GT(energy_of(single.series.images[0], false), 0) << term;
    options.coils.maps = sets;
    options.coils.sets = 2;
    const auto both = reconstruct(sense_scan(3, ctx), options, ctx);
    ASSERT_EQ(both.series.images.size(), 2U);
    for (const bool first : {true, false}) {
      const Image& image = both.series.images[first ? 0 : 1];
      EXPECT_EQ(energy_of(image, first), 0) << term;
      EXPECT_GT(energy_of(image, !first), 0) << term;
    }
  }
}

// A prior also determines pixels that no coil sees.
TEST(ReconstructSolvers, APriorIsLeftWhereNoCoilSees) {
  Context ctx;
  Maps maps = coil_maps(3);
  for (Index i = 0; i < maps.size(); ++i)
    if (i % n < 3) maps[i] = 0.0F;
  const auto prior = filled(Shape{n, n}, std::complex<float>(1));
  ReconstructOptions options = options_with(maps, "l2:1e4:prior=p.npy");
  options.solve.regularizers.push_back(parse_regularizer("tv:1e-6"));
  options.solve.priors = {{"p.npy", prior}};
  const auto result = reconstruct(sense_scan(3, ctx), options, ctx);
  EXPECT_LT(difference(result.series.images[0].pixels, prior), 1e-2);
}

TEST(ReconstructSolvers, APriorOnALargerSolveGridIsZeroOutside) {
  Context ctx;
  const auto maps = coil_maps(3, {2 * n, 2 * n});
  ReconstructOptions options = options_with(maps, "l2:1e4:prior=p.npy");
  options.prepare.grid.solve_fov = 2;
  const auto prior = object();
  options.solve.priors = {{"p.npy", prior}};
  const auto result = reconstruct(sense_scan(3, ctx), options, ctx);
  EXPECT_LT(difference(result.series.images[0].pixels, prior), 1e-3);
}

TEST(ReconstructSolvers, PriorsOfSeveralImages) {
  Context ctx;
  const auto maps = coil_maps(3);
  Maps priors({2, n, n});
  for (Index i = 0; i < priors.size(); ++i) priors[i] = i < n * n ? 1.0F : 5.0F;
  ReconstructOptions options = options_with(maps, "l2:1e4:prior=p.npy");
  options.solve.priors = {{"p.npy", priors}};
  // One for each repetition, or for each frame of a series.
  const auto images = reconstruct(repeated_scan(ctx), options, ctx);
  options.frames.window = FrameWindow{12, 12};
  const auto frames = reconstruct(sense_scan(3, ctx), options, ctx);
  for (const auto* result : {&images, &frames}) {
    ASSERT_EQ(result->series.images.size(), 2U);
    for (Index i = 0; i < 2; ++i)
      EXPECT_LT(difference(result->series.images[static_cast<std::size_t>(i)].pixels, priors.view().slice(i)),
                1e-3)
          << i;
  }
}

TEST(ReconstructSolvers, APriorOfAnotherShapeIsNamed) {
  Context ctx;
  const auto maps = coil_maps(3);
  for (const Shape& shape : {Shape{n}, Shape{n, n + 1}, Shape{3, n, n}}) {
    const auto prior = filled(shape, std::complex<float>(1));
    ReconstructOptions options = options_with(maps, "l2:1:prior=p.npy");
    options.solve.priors = {{"p.npy", prior}};
    EXPECT_THAT(error_of([&] { reconstruct(sense_scan(3, ctx), options, ctx); }),
                HasSubstr("prior p.npy: shape " + shape.to_string()));
  }
}

}  // namespace
}  // namespace larmor
