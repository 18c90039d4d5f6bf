// Signals of sequences, compared with closed forms and with the Bloch equations of many spins.
#include "error_of.hpp"

#include <larmor/mri/dictionary/signal_model.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

using std::numbers::pi;
using testing::HasSubstr;
using Sequence = SignalModel::Sequence;

SignalModel fisp_of(Index frames) {
  SignalModel model{.sequence = Sequence::fisp, .inversion_ms = 20, .echo_ms = 3};
  for (Index n = 0; n < frames; ++n) {
    model.flips_deg.push_back(10 + 50 * std::abs(std::sin(0.11 * static_cast<double>(n))));
    model.times_ms.push_back(12 + static_cast<double>(n % 3));
  }
  return model;
}

TEST(SignalModel, SpinEchoesAndInversionsAreClosedForms) {
  const SignalModel echoes{.sequence = Sequence::spin_echo, .times_ms = {10, 50}};
  EXPECT_NEAR(signal_of(echoes, {1000, 50})[1], std::exp(-1.0), 1e-15);
  const SignalModel inversion{
      .sequence = Sequence::inversion_recovery, .times_ms = {700 * std::log(2.0)}, .cycle_ms = 7000};
  EXPECT_NEAR(signal_of(inversion, {700, 50})[0], std::exp(-10.0), 1e-15);
}

// A single excitation of 90° in a cycle of TR is an inversion recovery.
TEST(SignalModel, AnMprageOfOneExcitationIsAnInversionRecovery) {
  const SignalModel train{.sequence = Sequence::mprage,
                          .times_ms = {10},
                          .flips_deg = {90},
                          .inversion_ms = 400,
                          .cycle_ms = 2000};
  const SignalModel inversion{.sequence = Sequence::inversion_recovery, .times_ms = {400}, .cycle_ms = 2000};
  EXPECT_NEAR(signal_of(train, {900, 50})[0], signal_of(inversion, {900, 50})[0], 1e-14);
}

// Many excitations reach the steady state of Ernst: sin α (1 − E) / (1 − E cos α).
TEST(SignalModel, AnMprageTendsToErnstsSignal) {
  SignalModel train{.sequence = Sequence::mprage, .inversion_ms = 5};
  train.times_ms.assign(600, 10);
  train.flips_deg.assign(600, 8);
  train.per_frame = 100;
  const double e = std::exp(-10.0 / 800), flip = 8 * pi / 180;
  const auto signal = signal_of(train, {800, 50});
  ASSERT_EQ(signal.size(), 6U);
  EXPECT_NEAR(signal.back(), std::sin(flip) * (1 - e) / (1 - e * std::cos(flip)), 1e-5);
}

// The extended phase graph is the mean of spins that dephase evenly over a turn from pulse to pulse.
TEST(SignalModel, FispIsTheMeanOfManySpins) {
  constexpr int spins = 256, frames = 60;
  const SignalModel model = fisp_of(frames);
  const Tissue tissue{700, 90};
  std::vector<double> expected(frames, 0.0);
  for (int s = 0; s < spins; ++s) {
    const double turn = 2 * pi * s / spins;
    double x = 0, y = 0, z = 1 - 2 * std::exp(-20.0 / tissue.t1_ms);
    for (std::size_t n = 0; n < frames; ++n) {
      const double flip = model.flips_deg[n] * pi / 180, time = model.times_ms[n];
      const double along = std::cos(flip) * z - std::sin(flip) * x,
                   across = std::cos(flip) * x + std::sin(flip) * z;
      expected[n] += across * std::exp(-3 / tissue.t2_ms) / spins;
      const double e2 = std::exp(-time / tissue.t2_ms), ahead = e2 * across, beside = e2 * y;
      x = std::cos(turn) * ahead - std::sin(turn) * beside;
      y = std::sin(turn) * ahead + std::cos(turn) * beside;
      z = 1 + (along - 1) * std::exp(-time / tissue.t1_ms);
    }
  }
  const auto signal = signal_of(model, tissue);
  for (std::size_t n = 0; n < frames; ++n) EXPECT_NEAR(signal[n], expected[n], 1e-6) << n;
}

TEST(SignalModel, DictionariesHaveTheParametersThatTheSignalDependsOn) {
  Context ctx;
  const SignalModel echoes{.sequence = Sequence::spin_echo, .times_ms = {10, 50}};
  const SignalDictionary one = dictionary_of(echoes, ctx);
  EXPECT_EQ(one.names, std::vector<std::string>{"T2"});
  EXPECT_NEAR(one.curves[2 * 100].real(), std::exp(-10 / one.values[100]), 1e-14);
  const SignalDictionary two = dictionary_of(fisp_of(6), ctx);
  EXPECT_EQ(two.names, (std::vector<std::string>{"T1", "T2"}));
  for (Index i = 0; i < two.values.size(); i += 2) EXPECT_LE(two.values[i + 1], two.values[i]);
  EXPECT_GT(two.values[two.values.size() - 2], 5700);
}

TEST(SignalModel, RefusesWhatDoesNotFit) {
  const auto error = [](const SignalModel& model) { return error_of([&] { signal_of(model, {}); }); };
  EXPECT_THAT(error({}), HasSubstr("0 times"));
  EXPECT_THAT(error({.times_ms = {10, 0}}), HasSubstr("a time of 0 ms"));
  EXPECT_THAT(error({.sequence = Sequence::fisp, .times_ms = {10}}), HasSubstr("0 flip angles"));
  EXPECT_THAT(error({.sequence = Sequence::mprage, .times_ms = {10}, .flips_deg = {5}, .cycle_ms = 5}),
              HasSubstr("expected at least 10 ms"));
  EXPECT_THAT(error({.times_ms = {10, 20}, .per_frame = 2}), HasSubstr("mprage and fisp"));
}

}  // namespace
}  // namespace larmor::test
