#include "device_cases.hpp"
#include "listener.hpp"

#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/tune/alternating_times.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>

#include <gmock/gmock.h>

#include <set>

namespace larmor::test {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

struct Memory final : Wisdom {
  std::optional<WisdomEntry> find(const std::string& key) override {
    const auto found = entries.find(key);
    return found == entries.end() ? std::nullopt : std::optional(found->second);
  }
  void store(const std::string& key, const WisdomEntry& entry) override { entries[key] = entry; }
  std::map<std::string, WisdomEntry> entries;
};

template <typename Case>
class Tuner : public OnDevice<Case> {
 protected:
  using T2 = typename Case::T;
  TuneResult tune(const TuneOptions& options, unsigned seed = 1) {
    return tune_nufft<T2>(points(seed), image_, base_, options, this->ctx());
  }
  Array<double> points(unsigned seed) { return this->there(random_real({400, 2}, -0.5, 0.5, seed)); }

  Shape image_{32, 30};
  NufftOptions base_{.tolerance = 1e-3, .batch = 2};
  Memory memory_;
};
TYPED_TEST_SUITE(Tuner, FloatCases, CaseNames);

TYPED_TEST(Tuner, ChoosesOneOfWhatItMeasured) {
  const auto result = this->tune({});
  ASSERT_THAT(result.trials, Not(IsEmpty()));
  EXPECT_EQ(result.trials[0].wanted, 0);  // the default
  EXPECT_EQ(result.trials[0].method, NufftMethod::gridding);
  EXPECT_LE(result.trials.size(), result.candidates);
  std::set<std::pair<NufftMethod, double>> seen;
  for (const TuneTrial& trial : result.trials) {
    EXPECT_TRUE(trial.measured());
    EXPECT_GT(trial.bytes, 0U);
    EXPECT_TRUE(seen.insert({trial.method, trial.wanted}).second);
  }
  EXPECT_TRUE(seen.contains({result.chosen.method, result.chosen.wanted}));
  const Nufft<float> nufft(this->points(1), this->image_, result.options, this->ctx());
  EXPECT_EQ(nufft.method(), result.chosen.method);
  EXPECT_EQ(nufft.kernel_width(), result.chosen.width);
  EXPECT_LT(nufft.measured_error(this->ctx()), 1e-3);
}

TYPED_TEST(Tuner, MeasuresEverythingWhenAskedTo) {
  const auto all = this->tune({.level = TuneLevel::exhaustive, .seconds = 1000});
  EXPECT_THAT(all.trials, SizeIs(all.candidates));
  EXPECT_GT(all.candidates, 10U);
}

TYPED_TEST(Tuner, KeepsToItsBudgetAndStillKnowsTheDefault) {
  const auto result = this->tune({.seconds = 0});
  EXPECT_THAT(result.trials, SizeIs(1));
  EXPECT_EQ(result.options.oversampling, 0);
  EXPECT_EQ(result.options.method, NufftMethod::gridding);
}

TYPED_TEST(Tuner, KeepsToTheBytes) {
  const auto free = this->tune({.level = TuneLevel::exhaustive, .seconds = 1000});
  std::size_t most = 0, least = std::numeric_limits<std::size_t>::max();
  for (const TuneTrial& trial : free.trials)
    most = std::max(most, trial.bytes), least = std::min(least, trial.bytes);
  const std::size_t limit = (least + most) / 2;
  const auto tight = this->tune({.level = TuneLevel::exhaustive, .seconds = 1000, .bytes = limit});
  EXPECT_LT(tight.candidates, free.candidates);
  EXPECT_GT(tight.trials.size(), 1U);
  // The default comes first, regardless of its memory.
  for (std::size_t i = 1; i < tight.trials.size(); ++i) EXPECT_LE(tight.trials[i].bytes, limit);
}

TYPED_TEST(Tuner, LeavesTheCallerHisChoices) {
  const auto matrix = this->tune({.method = NufftMethod::matrix});
  ASSERT_THAT(matrix.trials, Not(IsEmpty()));
  for (const TuneTrial& trial : matrix.trials) EXPECT_EQ(trial.method, NufftMethod::matrix);
  EXPECT_EQ(matrix.options.method, NufftMethod::matrix);
  const auto fixed = this->tune({.method = NufftMethod::matrix, .oversampling = 1.6});
  EXPECT_EQ(fixed.options.oversampling, 1.6);
  EXPECT_EQ(fixed.options.method, NufftMethod::matrix);
  const auto forward = this->tune({.goal = TuneGoal::forward});
  EXPECT_FALSE(forward.options.adjoint);
  ASSERT_THAT(forward.trials, Not(IsEmpty()));
  for (const TuneTrial& trial : forward.trials) EXPECT_EQ(trial.adjoint_ms, 0);
}

TYPED_TEST(Tuner, RemembersWhatItMeasured) {
  const auto first = this->tune({.wisdom = &this->memory_});
  EXPECT_FALSE(first.from_wisdom);
  EXPECT_THAT(this->memory_.entries, SizeIs(1));
  for (const TuneLevel level : {TuneLevel::measure, TuneLevel::wisdom_only}) {
    const auto again = this->tune({.level = level, .wisdom = &this->memory_});
    EXPECT_TRUE(again.from_wisdom);
    EXPECT_THAT(again.trials, IsEmpty());
    EXPECT_EQ(again.options.method, first.options.method);
    EXPECT_EQ(again.options.oversampling, first.options.oversampling);
    EXPECT_EQ(again.chosen.width, first.chosen.width);
    EXPECT_EQ(again.chosen.goal_ms(), first.chosen.goal_ms());
  }
  // A measured result does not satisfy an exhaustive search, nor another trajectory, accuracy or use.
  EXPECT_FALSE(this->tune({.level = TuneLevel::exhaustive, .wisdom = &this->memory_}).from_wisdom);
  EXPECT_FALSE(this->tune({.level = TuneLevel::wisdom_only, .wisdom = &this->memory_}, 2).from_wisdom);
  EXPECT_FALSE(
      this->tune({.level = TuneLevel::wisdom_only, .goal = TuneGoal::adjoint, .wisdom = &this->memory_})
          .from_wisdom);
  this->base_.tolerance = 1e-4;
  EXPECT_FALSE(this->tune({.level = TuneLevel::wisdom_only, .wisdom = &this->memory_}).from_wisdom);
}

TYPED_TEST(Tuner, MeasuresNothingWhenItShallNot) {
  for (const TuneLevel level : {TuneLevel::estimate, TuneLevel::wisdom_only}) {
    const auto result = this->tune({.level = level, .wisdom = &this->memory_});
    EXPECT_THAT(result.trials, IsEmpty());
    EXPECT_EQ(result.options.oversampling, 0);
    EXPECT_THAT(this->memory_.entries, IsEmpty());
  }
}

TYPED_TEST(Tuner, RefusesWisdomThatMakesNoSense) {
  const auto good = this->tune({.wisdom = &this->memory_});
  const WisdomEntry entry = this->memory_.entries[good.key];
  const auto changed = [&](const char* name, double value) {
    WisdomEntry other = entry;
    other.numbers[name] = value;
    return other;
  };
  WisdomEntry unknown = entry, empty;
  unknown.words["method"] = "magic";
  const auto reporter = std::make_shared<Listener>();
  Context ctx = this->context({.threads = 2, .reporter = reporter});
  for (const WisdomEntry& bad : {changed("oversampling", 99), changed("oversampling", -1),
                                 changed("oversampling", NAN), changed("forward_ms", 0), unknown, empty}) {
    reporter->lines.clear();
    this->memory_.entries = {{good.key, bad}};
    const TuneOptions options{.wisdom = &this->memory_};
    const auto result = tune_nufft<float>(this->points(1), this->image_, this->base_, options, ctx);
    EXPECT_FALSE(result.from_wisdom);
    EXPECT_THAT(reporter->lines, SizeIs(1));
    EXPECT_NE(this->memory_.entries[good.key], bad);
  }
}

// Density weights, axes of different lengths, and another scale of coordinates along each axis.
TYPED_TEST(Tuner, WhatItChoosesMeetsExactSums) {
  const Shape image{5, 36, 22};
  const Index samples = 300;
  auto k = random_real({samples, 3}, -0.5, 0.5, 4);
  for (Index j = 0; j < samples; ++j) {
    k[3 * j] *= 0.4;
    k[3 * j + 1] *= 2.5;  // periodic with 1
    k[3 * j + 2] *= 0.9;
  }
  const auto density = random_real({samples}, 0, 2, 5);
  const Nudft<double> exact(k, image, 2, density);
  const auto x = random_complex<double>(exact.domain(), 6), y = random_complex<double>(exact.codomain(), 7);
  Context host;
  const auto forward = exact.apply(x, host), adjoint = exact.adjoint(y, host);
  const auto float_x = this->there(converted<std::complex<float>>(x.view()));
  const auto float_y = this->there(converted<std::complex<float>>(y.view()));
  const auto k_there = this->there(std::move(k));
  const auto density_there = this->there(clone(density));
  for (const auto method : {std::optional<NufftMethod>(), std::optional(NufftMethod::gridding),
                            std::optional(NufftMethod::matrix)}) {
    const auto tuned = tune_nufft<float>(k_there, image, this->base_, {.method = method}, this->ctx());
    EXPECT_EQ(tuned.options.method, method.value_or(tuned.options.method));
    const Nufft<float> nufft(k_there, density_there, image, tuned.options, this->ctx());
    EXPECT_LT(relative_difference(nufft.apply(float_x, this->ctx()), forward), this->base_.tolerance);
    EXPECT_LT(relative_difference(nufft.adjoint(float_y, this->ctx()), adjoint), this->base_.tolerance);
    const auto normal = nufft.normal(NormalOptions{.toeplitz = NormalOptions::Toeplitz::on}, this->ctx());
    EXPECT_LT(relative_difference(normal.apply(float_x, this->ctx()), exact.adjoint(forward, host)),
              this->base_.tolerance);
  }
}

TYPED_TEST(Tuner, MeasuresNothingTwice) {
  const auto all = this->tune({.level = TuneLevel::exhaustive});
  ASSERT_GT(all.trials.size(), 1U);
  std::set<std::tuple<NufftMethod, int, std::array<Index, 3>>> seen;
  for (const TuneTrial& trial : all.trials)
    EXPECT_TRUE(seen.insert({trial.method, trial.width, trial.grid}).second)
        << to_string(trial.method) << " " << trial.oversampling;
}

TYPED_TEST(Tuner, MeasuresTheDirectionsThatAreAskedFor) {
  const Nufft<float> nufft(this->points(1), this->image_, this->base_, this->ctx());
  const auto both = alternating_times<float>({&nufft, &nufft}, {.rounds = 3}, this->ctx());
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_EQ(both[0].ratio, 1);
  for (const NufftTimes& each : both) {
    EXPECT_GT(each.least_forward_ms, 0);
    EXPECT_GT(each.least_adjoint_ms, 0);
    EXPECT_GT(each.ratio, 0);
  }
  const auto forward = alternating_times<float>({&nufft}, {.adjoint = false, .rounds = 3}, this->ctx());
  EXPECT_GT(forward[0].forward_ms, 0);
  EXPECT_EQ(forward[0].adjoint_ms, 0);
}

// A machine with known times: implementation i takes (i + 1) ms forward and three times as long back, and
// everything becomes slower from call to call, as if another program were starting.
struct SlowingMachine {
  MeasureWay measure() {
    return [this](std::size_t way, bool forward, int repeats) {
      calls.push_back({way, forward, repeats});
      slowness *= 1 + drift;
      return slowness * unit_ms * static_cast<double>(way + 1) * (forward ? 1 : 3);
    };
  }
  struct Call {
    std::size_t way;
    bool forward;
    int repeats;
    bool operator==(const Call&) const = default;
  };
  double unit_ms = 1, drift = 0, slowness = 1;
  std::vector<Call> calls{};
};

TEST(TimesInTurns, AreThoseOfEachWay) {
  SlowingMachine machine;
  const auto times = alternating_times(2, {.rounds = 4}, machine.measure(), Context());
  ASSERT_THAT(times, SizeIs(2));
  EXPECT_EQ(times[0].forward_ms, 1);
  EXPECT_EQ(times[0].adjoint_ms, 3);
  EXPECT_EQ(times[1].forward_ms, 2);
  EXPECT_EQ(times[1].least_adjoint_ms, 6);
  EXPECT_EQ(times[0].ratio, 1);
  EXPECT_EQ(times[1].ratio, 2);
}

TEST(TimesInTurns, CancelInRatiosWhatSlowsTheMachineDown) {
  SlowingMachine machine{.drift = 0.01};
  const auto times = alternating_times(3, {.adjoint = false, .rounds = 9}, machine.measure(), Context());
  EXPECT_GT(times[0].forward_ms, 1.1);  // the slowdown is present
  EXPECT_LT(times[0].least_forward_ms, times[0].forward_ms);
  EXPECT_NEAR(times[1].ratio, 2, 0.03);
  EXPECT_NEAR(times[2].ratio, 3, 0.09);
  EXPECT_EQ(times[2].adjoint_ms, 0);
}

TEST(TimesInTurns, GoBackAndForthAfterTwoCallsOfEachWay) {
  SlowingMachine machine;
  alternating_times(2, {.adjoint = false, .rounds = 2}, machine.measure(), Context());
  using Call = SlowingMachine::Call;
  const std::vector<Call> expected{{0, true, 1}, {0, true, 1}, {1, true, 1}, {1, true, 1},
                                   {0, true, 1}, {1, true, 1}, {1, true, 1}, {0, true, 1}};
  EXPECT_EQ(machine.calls, expected);
}

TEST(TimesInTurns, ChooseTheFastestThatIsFasterByEnough) {
  const auto times = [](const std::vector<double>& ratios) {
    std::vector<NufftTimes> all(ratios.size());
    for (std::size_t i = 0; i < ratios.size(); ++i) all[i].ratio = ratios[i];
    return all;
  };
  EXPECT_EQ(fastest_of(times({1}), 0.97), 0U);
  EXPECT_EQ(fastest_of(times({1, 0.98, 1.5}), 0.97), 0U);
  EXPECT_EQ(fastest_of(times({1, 0.96, 1.5}), 0.97), 1U);
  EXPECT_EQ(fastest_of(times({1, 0.9, 0.7, 0.8}), 0.97), 2U);
}

TEST(TimesInTurns, RepeatWhatIsShortAndEndInTime) {
  SlowingMachine machine{.unit_ms = 0.0625};
  alternating_times(1, {.adjoint = false, .rounds = 3}, machine.measure(), Context());
  EXPECT_EQ(machine.calls.back().repeats, 8);
  SlowingMachine slow{.unit_ms = 1000};
  alternating_times(1, {.adjoint = false, .rounds = 15, .seconds = 4.5}, slow.measure(), Context());
  EXPECT_THAT(slow.calls, SizeIs(2 + 5));
}

TYPED_TEST(Tuner, TimesTheFormsOfTheNormalOperator) {
  const Nufft<float> nufft(this->points(1), this->image_, this->base_, this->ctx());
  const auto trials = tune_normal(nufft, this->ctx());
  ASSERT_THAT(trials, SizeIs(2));
  EXPECT_NE(trials[0].options.toeplitz, trials[1].options.toeplitz);
  for (const auto& trial : trials) EXPECT_GT(trial.ms, 0);
}

}  // namespace
}  // namespace larmor::test
