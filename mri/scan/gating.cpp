#include <larmor/core/format_error.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/mri/scan/gating.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>

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

/// The samples nearest to k = 0 of readouts through the centre, averaged over short times.
struct CentreSamples {
  std::vector<double> seconds;
  std::vector<std::vector<double>> values;  // real and imaginary part of each channel
};

CentreSamples centre_samples(const Scan& scan, const ScanPlan& plan) {
  const auto dims = static_cast<std::size_t>(plan.dims);
  CentreSamples centre;
  double window = -1, count = 0;
  std::vector<std::size_t> readouts;
  for (const PlannedImage& image : plan.images)
    readouts.insert(readouts.end(), image.readouts.begin(), image.readouts.end());
  std::sort(readouts.begin(), readouts.end());
  const auto finish = [&] {
    if (count == 0) return;
    centre.seconds.back() /= count;
    for (double& value : centre.values.back()) value /= count;
    count = 0;
  };
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
    const double time = seconds_of(readout);
    if (std::floor(time / window_s) != window) {
      finish();
      window = std::floor(time / window_s);
      centre.seconds.push_back(0);
      centre.values.emplace_back(2 * static_cast<std::size_t>(plan.channels), 0.0);
    }
    ++count;
    centre.seconds.back() += time;
    const auto* samples = scan.samples(readout) + readout.header.discard_pre + nearest;
    for (std::size_t c = 0; c < static_cast<std::size_t>(plan.channels); ++c) {
      const auto& sample = samples[c * readout.header.samples];
      centre.values.back()[2 * c] += sample.real();
      centre.values.back()[2 * c + 1] += sample.imag();
    }
  }
  finish();
  return centre;
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
Array<Complex> fitted(const CentreSamples& centre, const Breaths& breaths) {
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

}  // namespace

std::vector<double> cardiac_phase(const Scan& scan, const ScanPlan& plan) {
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
    auto sorted = lengths;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    lengths.push_back(sorted[sorted.size() / 2]);  // the last beat does not end
    std::vector<double> phases(count);
    for (std::size_t i = 0, beat = 0; i < count; ++i) {
      if (beat + 1 < beats.size() && i == beats[beat + 1]) ++beat;
      const double phase = since_wave(i) / lengths[beat];
      phases[i] = phase < 1 ? phase : -1;
    }
    return phases;
  }
  throw input_error(
      "{} has no physiology time stamps that begin again with each heart beat: give the bins of the readouts "
      "as a file",
      scan.source)
      .about("bins");
}

std::vector<double> respiratory_signal(const Scan& scan, const ScanPlan& plan) {
  std::set<std::uint16_t> slices;
  for (const PlannedImage& image : plan.images) slices.insert(image.counters.slice);
  if (slices.size() > 1)
    throw input_error("{} has {} slices: the breath is found for one at a time, select one", scan.source,
                      slices.size())
        .about("slice");
  const double begin = seconds_of(scan.readouts[plan.imaging.front()]),
               end = seconds_of(scan.readouts[plan.imaging.back()]);
  if (!(end - begin >= shortest_s))
    throw input_error(
        "{} lasts {} s by its acquisition_time_stamp (2.5 ms each): the breath is found in scans of {} s and "
        "more; give the bins of the readouts as a file",
        scan.source, end - begin, shortest_s)
        .about("bins");
  const CentreSamples centre = centre_samples(scan, plan);
  const Breaths breaths(begin, end);
  const Index functions = breaths.functions();
  if (static_cast<Index>(centre.seconds.size()) < 2 * functions)
    throw input_error(
        "{} passes through the centre of k-space in {} of its {} eighths of a second, too few to find the "
        "breath: give the bins of the readouts as a file",
        scan.source, centre.seconds.size(), std::floor((end - begin) / window_s))
        .about("bins");
  Array<Complex> waves = fitted(centre, breaths);
  const Index width = waves.shape()[1];
  std::fill_n(waves.data(), 2 * width, 0.0);  // the straight line
  // The waves are orthogonal, so that their coefficients have the same principal component as the time
  // courses.
  const auto eigen = hermitian_eigen(matrix_product(conjugate_transpose(waves), waves));
  std::vector<double> coefficients(static_cast<std::size_t>(functions), 0.0);
  for (Index a = 0; a < functions; ++a)
    for (Index c = 0; c < width; ++c)
      coefficients[static_cast<std::size_t>(a)] += (waves[a * width + c] * eigen.vectors[c]).real();
  std::vector<double> signal;
  for (const std::size_t index : plan.imaging) {
    const auto at = breaths.at(seconds_of(scan.readouts[index]));
    signal.push_back(std::inner_product(at.begin(), at.end(), coefficients.begin(), 0.0));
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
      const auto phases = cardiac_phase(scan, plan);
      std::size_t beats = 1;
      for (std::size_t i = 0; i < readouts; ++i) {
        if (i > 0 && phases[i] >= 0 && phases[i] < phases[i - 1]) ++beats;
        if (phases[i] >= 0) bin_of(i) = std::floor(phases[i] * number);
      }
      notes.push_back(fmt::format("cardiac bins: {} heart beats, {:.3g} a minute", beats,
                                  static_cast<double>(beats) * beats_of(scan, plan)));
    } else {
      const auto signal = respiratory_signal(scan, plan);
      std::vector<std::size_t> order(readouts);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return signal[a] < signal[b]; });
      for (std::size_t rank = 0; rank < readouts; ++rank)
        bin_of(order[rank]) = std::floor(static_cast<double>(rank) * number / static_cast<double>(readouts));
      std::size_t breaths = 0;
      for (std::size_t i = 1; i < readouts; ++i) breaths += signal[i - 1] < 0 && signal[i] >= 0 ? 1U : 0U;
      notes.push_back(fmt::format("respiratory bins: {} breaths, {:.3g} a minute", breaths,
                                  static_cast<double>(breaths) * beats_of(scan, plan)));
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
