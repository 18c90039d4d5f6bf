#include <larmor/core/format_error.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/mri/scan/gating.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

// Frequencies of breathing; the heart beats faster than 0.7 Hz. The shortest scan contains two breaths at 15
// a minute.
constexpr double slowest_hz = 0.1, fastest_hz = 0.6, shortest_s = 8;
// Samples are averaged over this time first: no frequency of the heart is folded below fastest_hz with more
// than a tenth of its amplitude.
constexpr double window_s = 0.125;
// In cycles per field of view: readouts that come nearer to the centre of k-space pass through it.
constexpr double at_centre = 0.5;

double seconds_of(const Readout& readout) {
  return time_stamp_s * readout.header.acquisition_time_stamp;
}

/// Means of values over short times.
struct TimeCourses {
  std::vector<double> seconds;
  std::vector<std::vector<double>> values;

  // Times do not decrease.
  void add(double time, const std::vector<double>& sample) {
    if (std::floor(time / window_s) != window_) {
      window_ = std::floor(time / window_s);
      count_ = 0;
      seconds.push_back(0);
      values.emplace_back(sample.size(), 0.0);
    }
    const auto include = [&](double& mean, double value) { mean += (value - mean) / count_; };
    ++count_;
    include(seconds.back(), time);
    for (std::size_t i = 0; i < sample.size(); ++i) include(values.back()[i], sample[i]);
  }

 private:
  double window_ = -1, count_ = 0;
};

/// The samples nearest to k = 0 of readouts through the centre, real and imaginary part of each channel.
TimeCourses centre_samples(const Scan& scan, const ScanPlan& plan) {
  const auto dims = static_cast<std::size_t>(plan.dims);
  TimeCourses centre;
  std::vector<std::size_t> readouts;
  for (const PlannedImage& image : plan.images)
    readouts.insert(readouts.end(), image.readouts.begin(), image.readouts.end());
  std::sort(readouts.begin(), readouts.end());
  std::vector<double> values(2 * static_cast<std::size_t>(plan.channels));
  for (const std::size_t index : readouts) {
    if (plan.left_out.contains(index)) continue;
    const Readout& readout = scan.readouts[index];
    const auto k = plan.at(index).k;
    double least = std::numeric_limits<double>::infinity();
    std::size_t nearest = 0;
    for (std::size_t j = 0; j < k.size() / dims; ++j) {
      double square = 0;
      for (std::size_t axis = 0; axis < dims; ++axis)
        square += std::pow(k[j * dims + axis] * static_cast<double>(plan.grids.solve.matrix[axis]), 2);
      if (square < least) {
        least = square;
        nearest = j;
      }
    }
    if (!(least <= at_centre * at_centre)) continue;
    const auto* samples = scan.samples(readout) + readout.header.discard_pre + nearest;
    for (std::size_t c = 0; c < static_cast<std::size_t>(plan.channels); ++c) {
      const auto& sample = samples[c * readout.header.samples];
      values[2 * c] = sample.real();
      values[2 * c + 1] = sample.imag();
    }
    centre.add(seconds_of(readout), values);
  }
  return centre;
}

/// One channel of a physiological signal.
struct Trace {
  std::vector<double> seconds, values;
};

Trace trace_of(const Scan& scan, std::uint16_t id, bool triggers) {
  std::vector<const Waveform*> pieces;
  for (const Waveform& piece : scan.waveforms)
    if (piece.id == id && piece.channels > (triggers ? 1 : 0)) pieces.push_back(&piece);
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Waveform* a, const Waveform* b) { return a->time_stamp < b->time_stamp; });
  Trace trace;
  for (const Waveform* piece : pieces) {
    const std::size_t samples = piece->values.size() / piece->channels;
    const std::size_t first = triggers ? (piece->channels - std::size_t{1}) * samples : 0;
    for (std::size_t i = 0; i < samples; ++i) {
      trace.seconds.push_back(time_stamp_s * piece->time_stamp +
                              1e-6 * static_cast<double>(piece->sample_time_us) * static_cast<double>(i));
      trace.values.push_back(piece->values[first + i]);
    }
  }
  return trace;
}

/// A straight line, and waves of the frequencies of breaths.
struct Breaths {
  double begin, duration;
  Index first, waves;

  Breaths(double from, double to)
      : begin(from),
        duration(to - from),
        first(static_cast<Index>(std::ceil(slowest_hz * duration))),
        waves(static_cast<Index>(std::floor(fastest_hz * duration)) - first + 1) {}
  Index functions() const { return 2 + 2 * waves; }
  std::vector<double> at(double seconds) const {
    const double part = (seconds - begin) / duration;
    std::vector<double> values{1, part - 0.5};
    for (Index w = first; w < first + waves; ++w) {
      values.push_back(std::cos(2 * pi * static_cast<double>(w) * part));
      values.push_back(std::sin(2 * pi * static_cast<double>(w) * part));
    }
    return values;
  }
};

// The least-squares coefficients of the functions, [functions, values].
Array<Complex> fitted(const TimeCourses& centre, const Breaths& breaths) {
  const Index functions = breaths.functions(), width = static_cast<Index>(centre.values.front().size());
  auto gram = filled<Complex>({functions, functions}, 0.0), right = filled<Complex>({functions, width}, 0.0);
  for (std::size_t i = 0; i < centre.seconds.size(); ++i) {
    const auto at = breaths.at(centre.seconds[i]);
    for (Index a = 0; a < functions; ++a) {
      const double value = at[static_cast<std::size_t>(a)];
      for (Index b = 0; b < functions; ++b)
        gram[a * functions + b] += value * at[static_cast<std::size_t>(b)];
      for (Index c = 0; c < width; ++c)
        right[a * width + c] += value * centre.values[i][static_cast<std::size_t>(c)];
    }
  }
  return matrix_product(matrix_inverse(gram), right);
}

double beats_of(const Scan& scan, const ScanPlan& plan) {
  const double duration =
      seconds_of(scan.readouts[plan.imaging.back()]) - seconds_of(scan.readouts[plan.imaging.front()]);
  return duration > 0 ? 60 / duration : 0;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Empty: no time stamp begins again.
std::vector<double> phase_by_time_stamps(const Scan& scan, const ScanPlan& plan) {
  const auto count = plan.imaging.size();
  for (std::size_t stamp = 0; stamp < 3; ++stamp) {
    const auto since_wave = [&](std::size_t i) {
      return static_cast<double>(scan.readouts[plan.imaging[i]].header.physiology_time_stamp[stamp]);
    };
    std::vector<std::size_t> beats{0};  // first readout of each
    for (std::size_t i = 1; i < count; ++i)
      if (since_wave(i) < since_wave(i - 1)) beats.push_back(i);
    if (beats.size() < 2) continue;
    std::vector<double> lengths;
    for (std::size_t b = 0; b + 1 < beats.size(); ++b) {
      // From the last readout of a beat to the R wave: half the step between readouts.
      const std::size_t last = beats[b + 1] - 1, readouts = last - beats[b];
      const double step =
          readouts > 0 ? (since_wave(last) - since_wave(beats[b])) / static_cast<double>(readouts) : 1;
      lengths.push_back(since_wave(last) + 0.5 * step);
    }
    lengths.push_back(median(lengths));  // the last beat does not end
    std::vector<double> phases(count);
    for (std::size_t i = 0, beat = 0; i < count; ++i) {
      if (beat + 1 < beats.size() && i == beats[beat + 1]) ++beat;
      const double phase = since_wave(i) / lengths[beat];
      phases[i] = phase < 1 ? phase : -1;
    }
    return phases;
  }
  return {};
}

// Empty: no triggers during the scan.
std::vector<double> phase_by_triggers(const Scan& scan, const ScanPlan& plan, std::uint16_t id) {
  const Trace trace = trace_of(scan, id, true);
  std::vector<double> waves;
  for (std::size_t i = 0; i < trace.values.size(); ++i)
    if (trace.values[i] != 0 && (i == 0 || trace.values[i - 1] == 0)) waves.push_back(trace.seconds[i]);
  if (waves.size() < 2) return {};
  std::vector<double> lengths;
  for (std::size_t i = 1; i < waves.size(); ++i) lengths.push_back(waves[i] - waves[i - 1]);
  lengths.push_back(median(lengths));  // the last beat does not end
  std::vector<double> phases;
  for (const std::size_t index : plan.imaging) {
    const double time = seconds_of(scan.readouts[index]);
    const auto next = std::upper_bound(waves.begin(), waves.end(), time);
    const auto beat = static_cast<std::size_t>(next - waves.begin()) - 1;
    const double phase = next == waves.begin() ? -1 : (time - waves[beat]) / lengths[beat];
    phases.push_back(phase < 1 ? phase : -1);
  }
  const bool during = std::any_of(phases.begin(), phases.end(), [](double phase) { return phase >= 0; });
  return during ? phases : std::vector<double>{};
}

// Empty: the waveform is missing, constant, or too short for the frequencies.
TimeCourses respiration_waveform(const Scan& scan, const Breaths& breaths) {
  const Trace trace = trace_of(scan, Waveform::respiration, false);
  TimeCourses belt;
  for (std::size_t i = 0; i < trace.values.size(); ++i)
    if (trace.seconds[i] >= breaths.begin && trace.seconds[i] <= breaths.begin + breaths.duration)
      belt.add(trace.seconds[i], {trace.values[i]});
  const auto [least, most] = std::minmax_element(belt.values.begin(), belt.values.end());
  const bool varies = !belt.values.empty() && *least != *most;
  return varies && static_cast<Index>(belt.seconds.size()) >= 2 * breaths.functions() ? belt : TimeCourses{};
}

}  // namespace

MotionSignal cardiac_phase(const Scan& scan, const ScanPlan& plan) {
  if (auto phases = phase_by_time_stamps(scan, plan); !phases.empty())
    return {std::move(phases), "physiology time stamps"};
  if (auto phases = phase_by_triggers(scan, plan, Waveform::ecg); !phases.empty())
    return {std::move(phases), "triggers of the ECG waveform"};
  if (auto phases = phase_by_triggers(scan, plan, Waveform::pulse); !phases.empty())
    return {std::move(phases), "triggers of the pulse waveform"};
  throw input_error(
      "{} has no physiology time stamps that begin again with each heart beat, and no waveform of ECG or "
      "pulse with triggers during the scan: give the bins of the readouts as a file",
      scan.source)
      .about("bins");
}

MotionSignal respiratory_signal(const Scan& scan, const ScanPlan& plan) {
  const double begin = seconds_of(scan.readouts[plan.imaging.front()]),
               end = seconds_of(scan.readouts[plan.imaging.back()]);
  if (!(end - begin >= shortest_s))
    throw input_error(
        "{} lasts {} s by its acquisition_time_stamp (2.5 ms each): the breath is found in scans of {} s and "
        "more; give the bins of the readouts as a file",
        scan.source, end - begin, shortest_s)
        .about("bins");
  const Breaths breaths(begin, end);
  const Index functions = breaths.functions();
  TimeCourses courses = respiration_waveform(scan, breaths);
  MotionSignal signal{{}, "respiration waveform"};
  if (courses.seconds.empty()) {
    std::set<std::uint16_t> slices;
    for (const PlannedImage& image : plan.images) slices.insert(image.counters.slice);
    if (slices.size() > 1)
      throw input_error(
          "{} has {} slices and no waveform of respiration: the breath is found for one at a time, select "
          "one",
          scan.source, slices.size())
          .about("slice");
    courses = centre_samples(scan, plan);
    signal.source = "centre of k-space";
  }
  if (static_cast<Index>(courses.seconds.size()) < 2 * functions)
    throw input_error(
        "{} passes through the centre of k-space in {} of its {} eighths of a second, too few to find the "
        "breath: give the bins of the readouts as a file",
        scan.source, courses.seconds.size(), std::floor((end - begin) / window_s))
        .about("bins");
  Array<Complex> waves = fitted(courses, breaths);
  const Index width = waves.shape()[1];
  std::fill_n(waves.data(), 2 * width, 0.0);  // the straight line
  // The waves are orthogonal, so that their coefficients have the same principal component as the time
  // courses.
  const auto eigen = hermitian_eigen(matrix_product(conjugate_transpose(waves), waves));
  std::vector<double> coefficients(static_cast<std::size_t>(functions), 0.0);
  for (Index a = 0; a < functions; ++a)
    for (Index c = 0; c < width; ++c)
      coefficients[static_cast<std::size_t>(a)] += (waves[a * width + c] * eigen.vectors[c]).real();
  for (const std::size_t index : plan.imaging) {
    const auto at = breaths.at(seconds_of(scan.readouts[index]));
    signal.values.push_back(std::inner_product(at.begin(), at.end(), coefficients.begin(), 0.0));
  }
  return signal;
}

Array<double> gated_bins(const Scan& scan, const ScanPlan& plan, const std::vector<Gate>& gates,
                         std::vector<std::string>& notes) {
  const auto readouts = plan.imaging.size();
  const auto axes = static_cast<Index>(gates.size());
  auto bins = filled<double>({static_cast<Index>(readouts), axes}, -1.0);
  for (std::size_t gate = 0; gate < gates.size(); ++gate) {
    const auto number = static_cast<double>(gates[gate].bins);
    const auto bin_of = [&](std::size_t i) -> double& {
      return bins[static_cast<Index>(i) * axes + static_cast<Index>(gate)];
    };
    if (gates[gate].motion == Gate::Motion::cardiac) {
      const auto [phases, source] = cardiac_phase(scan, plan);
      std::size_t beats = 1;
      for (std::size_t i = 0; i < readouts; ++i) {
        if (i > 0 && phases[i] >= 0 && phases[i] < phases[i - 1]) ++beats;
        if (phases[i] >= 0) bin_of(i) = std::floor(phases[i] * number);
      }
      notes.push_back(fmt::format("cardiac bins: {} heart beats, {:.3g} a minute, by the {}", beats,
                                  static_cast<double>(beats) * beats_of(scan, plan), source));
    } else {
      const MotionSignal found = respiratory_signal(scan, plan);
      const auto& signal = found.values;
      std::vector<std::size_t> order(readouts);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return signal[a] < signal[b]; });
      for (std::size_t rank = 0; rank < readouts; ++rank)
        bin_of(order[rank]) = std::floor(static_cast<double>(rank) * number / static_cast<double>(readouts));
      std::size_t breaths = 0;
      for (std::size_t i = 1; i < readouts; ++i) breaths += signal[i - 1] < 0 && signal[i] >= 0 ? 1U : 0U;
      notes.push_back(fmt::format("respiratory bins: {} breaths, {:.3g} a minute, by the {}", breaths,
                                  static_cast<double>(breaths) * beats_of(scan, plan), found.source));
    }
  }
  Index combinations = 1;
  for (const Gate& gate : gates) combinations *= gate.bins;
  std::set<std::vector<double>> found;
  for (std::size_t i = 0; i < readouts; ++i) {
    const double* row = bins.data() + static_cast<Index>(i) * axes;
    if (std::all_of(row, row + axes, [](double bin) { return bin >= 0; })) found.emplace(row, row + axes);
  }
  if (static_cast<Index>(found.size()) < combinations)
    throw input_error("{} of {} bins have no readout: use fewer",
                      combinations - static_cast<Index>(found.size()), combinations)
        .about("bins");
  return bins;
}

}  // namespace larmor
