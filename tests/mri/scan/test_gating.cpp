// Bins of heart and breath, compared with the motion of a simulated chest.
#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/scan/gating.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

using testing::HasSubstr;

constexpr double tick_s = 2.5e-3;

Simulation chest_scan(Index spokes, SimulatedTrajectory trajectory = SimulatedTrajectory::radial) {
  Context ctx;
  SimulationOptions options;
  options.trajectory = trajectory;
  options.matrix = {32, 32, trajectory == SimulatedTrajectory::radial ? 1 : 4};
  options.coils = 4;
  options.readouts = spokes;
  options.samples = 32;
  options.noise = 0.02;
  options.object = SimulatedObject::chest;
  options.chest = ChestMotion{70, 24};
  return simulate_scan(options, ctx);
}

// Twelve seconds.
const Simulation& long_scan() {
  static const Simulation simulation = chest_scan(2400);
  return simulation;
}

ChestState state_at(const Scan& scan, std::size_t readout) {
  return chest_at({70, 24}, tick_s * scan.readouts[readout].header.acquisition_time_stamp);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0, mean_a = 0, mean_b = 0;
  const auto n = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / n;
    mean_b += b[i] / n;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += std::pow(a[i] - mean_a, 2);
    bb += std::pow(b[i] - mean_b, 2);
  }
  return ab / std::sqrt(aa * bb);
}

// Correlation of the breath that is found with the true one; the sign is arbitrary.
double breath_correlation(const Scan& scan, const ScanPlan& plan) {
  std::vector<double> truth;
  for (const std::size_t readout : plan.imaging) truth.push_back(state_at(scan, readout).inspired);
  return std::abs(correlation(respiratory_signal(scan, plan).values, truth));
}

TEST(Gating, FindsTheBreathAtTheCentre) {
  Scan scan = long_scan().scan;
  scan.waveforms.clear();
  EXPECT_GE(breath_correlation(scan, plan_scan(scan, {})), 0.95);
}

TEST(Gating, FindsTheBreathInTheWaveform) {
  Scan scan = long_scan().scan;
  const ScanPlan plan = plan_scan(scan, {});
  std::fill(scan.data.begin(), scan.data.end(), 0.0F);
  EXPECT_GE(breath_correlation(scan, plan), 0.95);
  EXPECT_EQ(respiratory_signal(scan, plan).source, "respiration waveform");
}

// A recorder without a belt writes a constant.
TEST(Gating, AConstantWaveformIsNoBreath) {
  Scan scan = long_scan().scan;
  for (Waveform& waveform : scan.waveforms) std::fill(waveform.values.begin(), waveform.values.end(), 2048);
  const ScanPlan plan = plan_scan(scan, {});
  EXPECT_EQ(respiratory_signal(scan, plan).source, "centre of k-space");
  EXPECT_GE(breath_correlation(scan, plan), 0.95);
}

// Only the partition at kz = 0 passes through the centre.
TEST(Gating, FindsTheBreathInAStackOfStars) {
  Scan scan = chest_scan(600, SimulatedTrajectory::stack_of_stars).scan;
  scan.waveforms.clear();
  EXPECT_GE(breath_correlation(scan, plan_scan(scan, {})), 0.95);
}

// Expects the heart's contraction at every phase, and a phase of almost all readouts.
void expect_true_phases(const Scan& scan, const ScanPlan& plan, const std::vector<double>& phases) {
  std::vector<double> found, truth;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i] < 0) continue;
    found.push_back(std::pow(std::sin(std::numbers::pi * phases[i]), 2));
    truth.push_back(state_at(scan, plan.imaging[i]).contracted);
    EXPECT_NEAR(found.back(), truth.back(), 0.12) << i;
  }
  EXPECT_GE(found.size(), phases.size() - 20);
  EXPECT_GE(correlation(found, truth), 0.95);
}

TEST(Gating, CardiacPhaseRunsFromWaveToWave) {
  const Scan& scan = long_scan().scan;
  const ScanPlan plan = plan_scan(scan, {});
  const MotionSignal phases = cardiac_phase(scan, plan);
  expect_true_phases(scan, plan, phases.values);
  EXPECT_EQ(phases.source, "physiology time stamps");
}

TEST(Gating, CardiacPhaseComesFromTriggersOfWaveforms) {
  Scan scan = long_scan().scan;
  for (Readout& readout : scan.readouts) readout.header.physiology_time_stamp = {};
  const ScanPlan plan = plan_scan(scan, {});
  const MotionSignal by_ecg = cardiac_phase(scan, plan);
  expect_true_phases(scan, plan, by_ecg.values);
  EXPECT_EQ(by_ecg.source, "triggers of the ECG waveform");
  // The order of the pieces in the file does not matter.
  std::reverse(scan.waveforms.begin(), scan.waveforms.end());
  EXPECT_EQ(cardiac_phase(scan, plan).values, by_ecg.values);
  for (Waveform& waveform : scan.waveforms)
    if (waveform.id == Waveform::ecg) waveform.id = Waveform::pulse;
  const MotionSignal by_pulse = cardiac_phase(scan, plan);
  EXPECT_EQ(by_pulse.values, by_ecg.values);
  EXPECT_EQ(by_pulse.source, "triggers of the pulse waveform");
  // An hour later.
  for (Waveform& waveform : scan.waveforms) waveform.time_stamp += 1440000;
  EXPECT_THAT(error_of([&] { cardiac_phase(scan, plan); }), HasSubstr("with triggers during the scan"));
}

// The scan begins with an R wave.
TEST(Gating, EachWaveIsFlaggedInOneSample) {
  std::vector<std::uint32_t> triggers;
  for (const Waveform& waveform : long_scan().scan.waveforms) {
    if (waveform.id != Waveform::ecg) continue;
    const auto half = static_cast<std::ptrdiff_t>(waveform.values.size() / 2);
    triggers.insert(triggers.end(), waveform.values.begin() + half, waveform.values.end());
  }
  ASSERT_GT(triggers.size(), 1U);
  EXPECT_EQ(triggers[0], 1U);
  for (std::size_t i = 1; i < triggers.size(); ++i) EXPECT_EQ(triggers[i] * triggers[i - 1], 0U) << i;
}

TEST(Gating, BinsShowTheChestAtRestAndInMotion) {
  Context ctx;
  const Simulation& simulation = long_scan();
  ReconstructOptions options;
  options.coils.maps = simulation.maps.view();
  const auto error_with = [&](const std::vector<Gate>& gates) {
    options.frames.gates = gates;
    const Reconstruction result = reconstruct(simulation.scan, options, ctx);
    double best = 1;
    for (const Image& image : result.series.images)
      best = std::min(best, relative_difference(image.pixels, simulation.truth));
    return best;
  };
  // The truth is the chest before a breath and a beat.
  const double averaged = error_with({}),
               binned = error_with({{Gate::Motion::cardiac, 4}, {Gate::Motion::respiratory, 4}});
  EXPECT_LE(binned, 0.5 * averaged);
}

TEST(Gating, BreathBinsHaveEqualNumbersOfReadouts) {
  const Simulation& simulation = long_scan();
  const ScanPlan plan = plan_scan(simulation.scan, {});
  std::vector<std::string> notes;
  const auto bins = gated_bins(simulation.scan, plan, {{Gate::Motion::respiratory, 3}}, notes);
  for (const double bin : {0.0, 1.0, 2.0})
    EXPECT_NEAR(static_cast<double>(std::count(bins.begin(), bins.end(), bin)), 2400.0 / 3, 1);
  EXPECT_THAT(notes, testing::ElementsAre(HasSubstr("a minute, by the respiration waveform")));
}

TEST(Gating, SaysWhatIsMissing) {
  Simulation simulation = chest_scan(400);
  Scan& scan = simulation.scan;
  const ScanPlan plan = plan_scan(scan, {});
  const auto error = [&](Gate::Motion motion, Index bins) {
    std::vector<std::string> notes;
    return error_of([&] { gated_bins(scan, plan, {{motion, bins}}, notes); });
  };
  EXPECT_THAT(error(Gate::Motion::respiratory, 4), HasSubstr("lasts 1.995 s"));
  EXPECT_THAT(error(Gate::Motion::cardiac, 1000), HasSubstr("have no readout: use fewer"));
  for (Readout& readout : scan.readouts) readout.header.physiology_time_stamp = {};
  scan.waveforms.clear();
  EXPECT_THAT(error(Gate::Motion::cardiac, 4), HasSubstr("no physiology time stamps"));
}

}  // namespace
}  // namespace larmor::test
