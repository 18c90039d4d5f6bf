#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/calibration/field_of_echoes.hpp>
#include <larmor/mri/reconstruct/estimated_field.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

using std::numbers::pi;
using ::testing::HasSubstr;

// Median of |one - other| over the voxels of an object.
double median_error(View<const float> one, View<const std::complex<float>> other,
                    View<const std::complex<float>> object) {
  float brightest = 0;
  for (const auto& value : object) brightest = std::max(brightest, std::abs(value));
  std::vector<double> errors;
  for (Index p = 0; p < one.size(); ++p)
    if (std::abs(object[p]) > 0.1F * brightest) errors.push_back(std::abs(one[p] - other[p].real()));
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2),
                   errors.end());
  return errors[errors.size() / 2];
}

SimulationOptions echoes_of(SimulatedTrajectory trajectory, std::vector<double> times) {
  return {.trajectory = trajectory,
          .matrix = {64, 64, 1},
          .coils = 4,
          .noise = 0.05,
          .phase = 0.7,
          .field_hz = 150,
          .echo_times_ms = std::move(times)};
}

double error_of_estimate(const SimulationOptions& options) {
  Context ctx;
  Simulation simulation = simulate_scan(options, ctx);
  const ImageSeries maps = estimate_field_map(std::move(simulation.scan), {}, options.echo_times_ms, ctx);
  EXPECT_EQ(maps.images.size(), 1u);
  EXPECT_EQ(maps.kind, ImageKind::real);
  return median_error(simulation.field, maps.images[0].pixels, simulation.truth);
}

TEST(EstimatedField, TwoEchoesWithNoise) {
  EXPECT_LE(error_of_estimate(echoes_of(SimulatedTrajectory::cartesian, {2, 4.3})), 2);
}

// 150 Hz change the phase by 1.5 cycles from the first to the second echo, by 3 to the last.
TEST(EstimatedField, PhasesThatWrap) {
  EXPECT_LE(error_of_estimate(echoes_of(SimulatedTrajectory::cartesian, {2, 7})), 2);
}

TEST(EstimatedField, FurtherEchoesMakeItMorePrecise) {
  const double two = error_of_estimate(echoes_of(SimulatedTrajectory::radial, {2, 4.3})),
               three = error_of_estimate(echoes_of(SimulatedTrajectory::radial, {2, 4.3, 9}));
  EXPECT_LE(two, 2);
  EXPECT_LE(three, 0.7 * two);
}

// The signs of simulation, estimate and correction agree, and each of them is needed.
TEST(EstimatedField, CorrectsTheScan) {
  Context ctx;
  SimulationOptions options{.trajectory = SimulatedTrajectory::spiral,
                            .matrix = {48, 48, 1},
                            .coils = 4,
                            .readouts = 4,
                            .noise = 0.01,
                            .field_hz = 100};
  const Simulation scan = simulate_scan(options, ctx);
  options.field_hz = 0;
  const Simulation on_resonance = simulate_scan(options, ctx);
  options.field_hz = 100;
  options.trajectory = SimulatedTrajectory::cartesian;
  options.readouts = 0;
  options.echo_times_ms = {1, 3};
  const ImageSeries maps = estimate_field_map(simulate_scan(options, ctx).scan, {}, {1, 3}, ctx);
  const Array<float> field = [&] {
    Array<float> real({48, 48});
    for (Index p = 0; p < real.size(); ++p) real[p] = maps.images[0].pixels[p].real();
    return real;
  }();
  const auto error_with = [&](View<const float> given, const Scan& of) {
    ReconstructOptions how;
    how.coils.maps = scan.maps.view();
    how.field.frequency = given;
    const Reconstruction result = reconstruct(of, how, ctx);
    return relative_difference(result.series.images[0].pixels, scan.truth);
  };
  const double none = error_with({}, scan.scan), estimated = error_with(field, scan.scan),
               exact = error_with(scan.field, scan.scan), best = error_with({}, on_resonance.scan);
  EXPECT_GE(none, 3 * best);
  EXPECT_LE(exact, 1.2 * best);
  EXPECT_LE(estimated, 1.1 * exact);
}

// Three voxels by hand: 1 Hz is one turn in the second between two echoes.
TEST(FieldOfEchoes, HasTheSignOfTheModel) {
  Context ctx;
  Array<std::complex<float>> echoes({2, 1, 3});
  for (Index x = 0; x < 3; ++x) {
    echoes[x] = 2;
    echoes[3 + x] = std::complex<float>(std::polar(2.0, -2 * pi * 0.2));
  }
  const auto field = field_of_echoes(echoes, {0, 1}, ctx);
  for (const float f : field) EXPECT_NEAR(f, 0.2, 1e-3);
}

TEST(FieldOfEchoes, RefusesWhatTellsNothing) {
  Context ctx;
  const auto one = filled<std::complex<float>>({1, 4, 4}, 1), two = filled<std::complex<float>>({2, 4, 4}, 1),
             dark = filled<std::complex<float>>({2, 4, 4}, 0);
  auto halves = filled<std::complex<float>>({2, 4, 4}, 0);
  halves[0] = halves[17] = 1;
  EXPECT_THAT(error_of([&] { field_of_echoes(one, {1}, ctx); }), HasSubstr("two or more echoes"));
  EXPECT_THAT(error_of([&] { field_of_echoes(two, {1, 1}, ctx); }), HasSubstr("different echo times"));
  EXPECT_THAT(error_of([&] {
                field_of_echoes(halves, {1, 2}, ctx);
              }),
              HasSubstr("no nonzero voxel in common"));
  for (const auto& same : {two.view(), dark.view()})
    EXPECT_THAT(error_of([&] {
                  field_of_echoes(same, {0.001, 0.002}, ctx);
                }),
                HasSubstr("the images of the echoes at 1 and 2 ms are identical"));
}

TEST(EstimatedField, SaysWhatIsMissing) {
  Context ctx;
  const auto estimate = [&](const std::vector<double>& of_scan, const std::vector<double>& known) {
    SimulationOptions options = echoes_of(SimulatedTrajectory::cartesian, of_scan);
    options.field_hz = 0;
    return error_of([&] { estimate_field_map(simulate_scan(options, ctx).scan, {}, known, ctx); });
  };
  EXPECT_THAT(estimate({2}, {2}), HasSubstr("has one echo"));
  EXPECT_THAT(estimate({2, 4}, {}), HasSubstr("0 echo times are known"));
  EXPECT_THAT(estimate({2, 4}, {0.002, 0.004}), HasSubstr("closer than two samples of a readout"));
}

}  // namespace
}  // namespace larmor::test
