#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/dictionary/signal_model.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace LARMOR_API larmor {
namespace {

using Sequence = SignalModel::Sequence;

// Magnetisation along the field after `time`, 1 in equilibrium.
double recovered(double along, double time_ms, double t1_ms) {
  return 1 + (along - 1) * std::exp(-time_ms / t1_ms);
}

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

// Spoiled echoes leave only the magnetisation along the field, which each step maps affinely.
std::vector<double> mprage(const SignalModel& model, double t1_ms) {
  const double train_ms = std::accumulate(model.times_ms.begin(), model.times_ms.end(), model.inversion_ms);
  std::vector<double> signal(model.times_ms.size());
  const auto after_cycle = [&](double along) {
    along = recovered(-along, model.inversion_ms, t1_ms);
    for (std::size_t n = 0; n < signal.size(); ++n) {
      signal[n] = along * std::sin(radians(model.flips_deg[n]));
      along = recovered(along * std::cos(radians(model.flips_deg[n])), model.times_ms[n], t1_ms);
    }
    return recovered(along, model.cycle_ms - train_ms, t1_ms);
  };
  double before = 1;
  if (model.cycle_ms > 0) {
    const double of_zero = after_cycle(0), slope = after_cycle(1) - of_zero;
    before = of_zero / (1 - slope);  // steady state
  }
  after_cycle(before);
  return signal;
}

// Configurations F₊(k), F₋(k), Z(k); all are real with pulses about y.
std::vector<double> fisp(const SignalModel& model, const Tissue& tissue) {
  constexpr double negligible = 1e-7;
  // A configuration of order k has decayed at least k times and decays as often before its echo.
  const double shortest = *std::min_element(model.times_ms.begin(), model.times_ms.end());
  const auto orders =
      static_cast<std::size_t>(std::min(static_cast<double>(model.times_ms.size()),
                                        -0.5 * std::log(negligible) * tissue.t2_ms / shortest)) +
      2;
  std::vector<double> plus(orders, 0.0), minus(orders, 0.0), along(orders, 0.0), signal;
  along[0] = recovered(-1, model.inversion_ms, tissue.t1_ms);
  for (std::size_t n = 0; n < model.times_ms.size(); ++n) {
    const double flip = radians(model.flips_deg[n]), sine = std::sin(flip), cosine = std::cos(flip),
                 stays = std::pow(std::cos(flip / 2), 2), turns = 1 - stays,
                 e1 = std::exp(-model.times_ms[n] / tissue.t1_ms),
                 e2 = std::exp(-model.times_ms[n] / tissue.t2_ms);
    signal.push_back((stays * plus[0] - turns * minus[0] + sine * along[0]) *
                     std::exp(-model.echo_ms / tissue.t2_ms));
    for (std::size_t k = 0; k < orders; ++k) {
      const double p = plus[k], m = minus[k], z = along[k];
      plus[k] = e2 * (stays * p - turns * m + sine * z);
      minus[k] = e2 * (stays * m - turns * p + sine * z);
      along[k] = e1 * (cosine * z - 0.5 * sine * (p + m));
    }
    along[0] += 1 - e1;
    std::rotate(plus.begin(), plus.end() - 1, plus.end());
    std::rotate(minus.begin(), minus.begin() + 1, minus.end());
    minus.back() = 0;
    plus[0] = minus[0];
  }
  return signal;
}

void check(const SignalModel& model) {
  const auto& times = model.times_ms;
  if (times.empty() || model.per_frame < 1 || static_cast<Index>(times.size()) % model.per_frame != 0)
    throw usage_error("a signal model of {} times in frames of {}, expected a multiple", times.size(),
                      model.per_frame);
  if (std::any_of(times.begin(), times.end(), [](double t) { return !(t > 0) || !std::isfinite(t); }))
    throw usage_error("a signal model with a time of {} ms, expected positive numbers",
                      *std::min_element(times.begin(), times.end()));
  const bool train = model.sequence == Sequence::mprage || model.sequence == Sequence::fisp;
  if (!train && model.per_frame != 1)
    throw usage_error("only mprage and fisp have frames of several excitations");
  if (train && model.flips_deg.size() != times.size())
    throw usage_error("a signal model of {} flip angles and {} repetition times, expected as many",
                      model.flips_deg.size(), times.size());
  const double last = train ? std::accumulate(times.begin(), times.end(), model.inversion_ms)
                            : *std::max_element(times.begin(), times.end());
  if (model.cycle_ms != 0 && model.cycle_ms < last)
    throw usage_error("inversions {} ms apart, expected at least {} ms, the end of the readouts",
                      model.cycle_ms, last);
  if (!(model.inversion_ms >= 0) || !(model.echo_ms >= 0))
    throw usage_error("TI of {} ms and TE of {} ms, expected 0 or more", model.inversion_ms, model.echo_ms);
}

std::vector<double> checked_signal(const SignalModel& model, const Tissue& tissue) {
  std::vector<double> signal;
  switch (model.sequence) {
    case Sequence::spin_echo:
      for (const double time : model.times_ms) signal.push_back(std::exp(-time / tissue.t2_ms));
      return signal;
    case Sequence::inversion_recovery:
      for (const double time : model.times_ms)
        signal.push_back(1 - 2 * std::exp(-time / tissue.t1_ms) +
                         (model.cycle_ms > 0 ? std::exp(-model.cycle_ms / tissue.t1_ms) : 0));
      return signal;
    case Sequence::mprage:
      signal = mprage(model, tissue.t1_ms);
      break;
    case Sequence::fisp:
      signal = fisp(model, tissue);
      break;
  }
  std::vector<double> frames(static_cast<std::size_t>(model.frames()), 0.0);
  for (std::size_t n = 0; n < signal.size(); ++n)
    frames[n / static_cast<std::size_t>(model.per_frame)] += signal[n] / static_cast<double>(model.per_frame);
  return frames;
}

std::vector<double> geometric(double first, double last, double step) {
  std::vector<double> values;
  for (double value = first; value <= last; value *= 1 + step) values.push_back(value);
  return values;
}

}  // namespace

std::vector<double> signal_of(const SignalModel& model, const Tissue& tissue) {
  check(model);
  if (!(tissue.t1_ms > 0) || !(tissue.t2_ms > 0))
    throw usage_error("T1 of {} ms and T2 of {} ms, expected positive numbers", tissue.t1_ms, tissue.t2_ms);
  return checked_signal(model, tissue);
}

SignalDictionary dictionary_of(const SignalModel& model, Context& ctx) {
  check(model);
  const bool needs_t1 = model.sequence != Sequence::spin_echo,
             needs_t2 = model.sequence == Sequence::spin_echo || model.sequence == Sequence::fisp;
  const double step = needs_t1 && needs_t2 ? 0.04 : 0.01;
  std::vector<Tissue> tissues;
  for (const double t1 : needs_t1 ? geometric(10, 6000, step) : std::vector<double>{1e9})
    for (const double t2 : needs_t2 ? geometric(1, std::min(t1, 3000.0), step) : std::vector<double>{1})
      tissues.push_back({t1, t2});
  SignalDictionary result;
  if (needs_t1) result.names.emplace_back("T1");
  if (needs_t2) result.names.emplace_back("T2");
  const auto entries = static_cast<Index>(tissues.size()), frames = model.frames(),
             parameters = static_cast<Index>(result.names.size());
  result.curves = Array<std::complex<double>>({entries, frames});
  result.values = Array<double>({entries, parameters});
  parallel_for(ctx.host(), entries, 16, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const Tissue& tissue = tissues[static_cast<std::size_t>(i)];
      const auto signal = checked_signal(model, tissue);
      std::copy(signal.begin(), signal.end(), result.curves.data() + i * frames);
      if (needs_t1) result.values[i * parameters] = tissue.t1_ms;
      if (needs_t2) result.values[i * parameters + parameters - 1] = tissue.t2_ms;
    }
  });
  return result;
}

SignalDictionary given_dictionary(Array<std::complex<double>> curves, Array<double> values,
                                  std::vector<std::string> names) {
  if (curves.shape().rank() != 2 || curves.empty())
    throw input_error("dictionary of shape {}, expected [entries, frames]", curves.shape().to_string());
  const Index entries = curves.shape()[0], parameters = static_cast<Index>(names.size());
  if (values.shape() == Shape{entries}) values = clone(values.view().reshaped({entries, 1}));
  if (parameters == 0 || values.shape() != Shape{entries, parameters})
    throw input_error("values of shape {} for {} entries of the dictionary and {} names, expected [{}, {}]",
                      values.shape().to_string(), entries, parameters, entries,
                      parameters > 0 ? parameters : 1);
  require_comparable<std::complex<double>>("dictionary", curves);
  require_representable<double>("values of the dictionary", values);
  return {std::move(curves), std::move(values), std::move(names)};
}

}  // namespace larmor
