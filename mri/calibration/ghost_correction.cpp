#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/ghost_correction.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>

namespace larmor {
namespace {

using ComplexDouble = std::complex<double>;
using std::numbers::pi;

// Cosine of the largest angle between lines that count as parallel: 8 degrees.
constexpr double parallel = 0.99;

/// Converts the samples of lines in one direction to the object's profile along the line.
class LineTransform {
 public:
  // readout: one of the imaging readouts in this direction. axis: the forward direction, of unit length.
  LineTransform(const Scan& scan, const ScanPlan& plan, std::size_t readout, const std::vector<double>& axis)
      : samples_(kept_samples(scan.readouts[readout].header)) {
    const ReadoutCoordinates& coordinates = plan.at(readout);
    std::vector<double> along(static_cast<std::size_t>(samples_), 0.0);
    for (std::size_t j = 0; j < along.size(); ++j)
      for (std::size_t d = 0; d < axis.size(); ++d) along[j] += coordinates.k[j * axis.size() + d] * axis[d];
    const auto main = std::max_element(axis.begin(), axis.end(),
                                       [](double a, double b) { return std::abs(a) < std::abs(b); });
    pixels_ = plan.grids.solve.matrix[static_cast<std::size_t>(main - axis.begin())];
    phases_.resize(static_cast<std::size_t>(pixels_ * samples_));
    for (Index x = 0; x < pixels_; ++x)
      for (std::size_t j = 0; j < along.size(); ++j) {
        const double step = along[std::min(j + 1, along.size() - 1)] - along[j > 0 ? j - 1 : 0];
        const double cycles =
            along[j] * position(x) + (coordinates.cycles.empty() ? 0 : coordinates.cycles[j]);
        phases_[static_cast<std::size_t>(x * samples_) + j] =
            coordinates.inside[j] ? std::polar(std::abs(step), 2 * pi * cycles) : 0;
      }
  }
  Index samples() const { return samples_; }
  Index pixels() const { return pixels_; }
  double position(Index x) const { return static_cast<double>(x - pixels_ / 2); }
  // Adds the profile of each channel, [channels, pixels].
  void add(const Scan& scan, const Readout& navigator, Index channels,
           std::vector<ComplexDouble>& profiles) const {
    for (Index c = 0; c < channels; ++c) {
      const auto* samples =
          scan.samples(navigator) + c * Index{navigator.header.samples} + navigator.header.discard_pre;
      for (Index x = 0; x < pixels_; ++x) {
        ComplexDouble sum = 0;
        for (Index j = 0; j < samples_; ++j)
          sum += ComplexDouble(samples[j]) * phases_[static_cast<std::size_t>(x * samples_ + j)];
        profiles[static_cast<std::size_t>(c * pixels_ + x)] += sum;
      }
    }
  }

 private:
  Index samples_, pixels_ = 0;
  std::vector<ComplexDouble> phases_;  // [pixels, samples], with the weights of the samples
};

/// The phase of backward lines relative to forward ones.
struct EddyPhase {
  double slope = 0;                      // radians from pixel to pixel
  std::vector<ComplexDouble> constants;  // of each channel, of magnitude 1
};

// products: of the backward profile with the conjugate of the forward one, [channels, pixels].
EddyPhase fitted_phase(const std::vector<ComplexDouble>& products, const LineTransform& lines,
                       Index channels) {
  const Index pixels = lines.pixels();
  const auto at = [&](Index c, Index x) { return products[static_cast<std::size_t>(c * pixels + x)]; };
  EddyPhase phase;
  ComplexDouble neighbours = 0;
  for (Index c = 0; c < channels; ++c)
    for (Index x = 1; x < pixels; ++x) neighbours += at(c, x) * std::conj(at(c, x - 1));
  phase.slope = std::arg(neighbours);
  // Then least squares of what is left, which is small.
  for (int step = 0; step < 4; ++step) {
    phase.constants.clear();
    double numerator = 0, denominator = 0;
    for (Index c = 0; c < channels; ++c) {
      ComplexDouble sum = 0;
      double weight = 0, centre = 0;
      for (Index x = 0; x < pixels; ++x) {
        sum += at(c, x) * std::polar(1.0, -phase.slope * lines.position(x));
        weight += std::abs(at(c, x));
        centre += std::abs(at(c, x)) * lines.position(x);
      }
      const ComplexDouble constant = std::abs(sum) > 0 ? sum / std::abs(sum) : 1;
      phase.constants.push_back(constant);
      for (Index x = 0; weight > 0 && x < pixels; ++x) {
        const double offset = lines.position(x) - centre / weight;
        const ComplexDouble left =
            at(c, x) * std::conj(constant) * std::polar(1.0, -phase.slope * lines.position(x));
        numerator += offset * left.imag();
        denominator += offset * offset * std::abs(left);
      }
    }
    if (denominator > 0) phase.slope += numerator / denominator;
  }
  return phase;
}

/// Navigators that follow each other.
struct Navigators {
  std::uint16_t slice = 0;
  std::array<std::vector<std::size_t>, 2> readouts;  // forwards, backwards
};

std::vector<Navigators> navigators_of(const Scan& scan, const std::array<const LineTransform*, 2>& lines) {
  std::vector<Navigators> all;
  std::size_t last = 0;
  for (std::size_t i = 0; i < scan.readouts.size(); ++i) {
    const ReadoutHeader& header = scan.readouts[i].header;
    if (!header.has(AcquisitionFlag::phase_correction)) continue;
    const std::size_t direction = header.has(AcquisitionFlag::reverse) ? 1 : 0;
    if (kept_samples(header) != lines[direction]->samples() || !finite_samples(scan, scan.readouts[i]))
      continue;
    const std::uint16_t slice = header.counters.slice;
    if (all.empty() || last + 1 != i || all.back().slice != slice) all.push_back({slice, {}});
    all.back().readouts[direction].push_back(i);
    last = i;
  }
  std::erase_if(all,
                [](const Navigators& one) { return one.readouts[0].empty() || one.readouts[1].empty(); });
  return all;
}

// The last navigators of the slice before the readout, otherwise the first ones after it.
const Navigators* navigators_for(const std::vector<Navigators>& all, const ReadoutHeader& header,
                                 std::size_t readout) {
  const Navigators* found = nullptr;
  for (const Navigators& one : all) {
    if (one.slice != header.counters.slice) continue;
    if (one.readouts[0].front() > readout && found != nullptr) break;
    found = &one;
  }
  return found;
}

/// An imaging readout in each direction, and the direction of the forward one.
struct Examples {
  std::size_t forward = 0, backward = 0;
  std::vector<double> axis;
};

// From the first to the last sample of a readout, of unit length; empty if they are at the same place.
std::vector<double> direction_of(const ScanPlan& plan, std::size_t readout) {
  const auto dims = static_cast<std::size_t>(plan.dims);
  const auto k = plan.at(readout).k;
  std::vector<double> direction(dims);
  double length = 0;
  for (std::size_t d = 0; d < dims; ++d) {
    direction[d] = k[k.size() - dims + d] - k[d];
    length = std::hypot(length, direction[d]);
  }
  if (!(length > 0)) return {};
  for (double& part : direction) part /= length;
  return direction;
}

// Parallel lines with the same reverse flag run in one direction.
void check_reverse_flags(const Scan& scan, const ScanPlan& plan, Reporter& reporter) {
  std::vector<double> first;
  std::array<std::array<Index, 2>, 2> counts{};  // by flag and direction
  for (const auto& image : plan.images)
    for (const std::size_t index : image.readouts) {
      if (plan.left_out.contains(index)) continue;
      const std::vector<double> direction = direction_of(plan, index);
      if (first.empty()) first = direction;
      if (direction.empty()) continue;
      const double cosine = std::inner_product(direction.begin(), direction.end(), first.begin(), 0.0);
      if (std::abs(cosine) < parallel) continue;
      ++counts[scan.readouts[index].header.has(AcquisitionFlag::reverse)][cosine < 0];
    }
  Index wrong = 0, all = 0;
  for (const auto& [along, against] : counts) {
    wrong += std::min(along, against);
    all += along + against;
  }
  if (wrong > 0)
    reporter.warning(
        fmt::format("{} of {} readouts run along the trajectory in the other direction than those with the "
                    "same reverse flag: expected one direction for each value of the flag; the correction of "
                    "ghosts uses the flag: correct flags or trajectory",
                    wrong, all));
}

// None if all imaging readouts have the same reverse flag.
std::optional<Examples> examples_of(const Scan& scan, const ScanPlan& plan) {
  std::array<std::optional<std::size_t>, 2> example;
  for (const std::size_t index : plan.images.front().readouts) {
    if (plan.left_out.contains(index)) continue;
    auto& one = example[scan.readouts[index].header.has(AcquisitionFlag::reverse) ? 1 : 0];
    if (!one) one = index;
  }
  if (!example[0] || !example[1]) return std::nullopt;
  Examples found{*example[0], *example[1], direction_of(plan, *example[0])};
  if (found.axis.empty()) return std::nullopt;
  return found;
}

EddyPhase phase_of(const Scan& scan, const ScanPlan& plan, const Navigators& navigators,
                   const LineTransform& forwards, const LineTransform& backwards) {
  std::vector<ComplexDouble> there(static_cast<std::size_t>(plan.channels * forwards.pixels()), 0.0),
      back = there;
  for (const std::size_t i : navigators.readouts[0])
    forwards.add(scan, scan.readouts[i], plan.channels, there);
  for (const std::size_t i : navigators.readouts[1])
    backwards.add(scan, scan.readouts[i], plan.channels, back);
  for (std::size_t i = 0; i < back.size(); ++i) back[i] *= std::conj(there[i]);
  return fitted_phase(back, forwards, plan.channels);
}

bool navigated(const Scan& scan) {
  return std::any_of(scan.readouts.begin(), scan.readouts.end(), [](const Readout& readout) {
    return readout.header.has(AcquisitionFlag::phase_correction);
  });
}

}  // namespace

PrepareOptions with_ghost_correction(const Scan& scan, PrepareOptions options, Context& ctx) {
  if (!navigated(scan)) return options;
  Context host = ctx.host();
  const ScanPlan plan = plan_scan(scan, options, &host);
  check_reverse_flags(scan, plan, ctx.reporter());
  const auto examples = examples_of(scan, plan);
  if (!examples) return options;
  const LineTransform forwards(scan, plan, examples->forward, examples->axis),
      backwards(scan, plan, examples->backward, examples->axis);
  const auto all = navigators_of(scan, {&forwards, &backwards});

  const auto readouts = std::ssize(scan.readouts);
  auto factors = filled<std::complex<float>>({readouts, plan.channels}, 1);
  const View<const std::complex<float>> given = options.readout_factors;
  for (Index i = 0; given.size() > 0 && i < factors.size(); ++i)
    factors[i] = given[given.shape().rank() == 1 ? i / plan.channels : i];
  auto shifts = filled<double>({readouts, plan.dims}, 0.0);
  std::map<const Navigators*, EddyPhase> phases;
  Index corrected = 0, without = 0;
  double slopes = 0;
  for (Index r = 0; r < readouts; ++r) {
    const ReadoutHeader& header = scan.readouts[static_cast<std::size_t>(r)].header;
    if (!header.has(AcquisitionFlag::reverse) || header.active_channels != plan.channels ||
        header.has(AcquisitionFlag::phase_correction))
      continue;
    const Navigators* navigators = navigators_for(all, header, static_cast<std::size_t>(r));
    ++(navigators ? corrected : without);
    if (!navigators) continue;
    const auto [entry, is_new] = phases.try_emplace(navigators);
    EddyPhase& phase = entry->second;
    if (is_new) {
      phase = phase_of(scan, plan, *navigators, forwards, backwards);
      slopes += phase.slope;
    }
    for (Index c = 0; c < plan.channels; ++c)
      factors[r * plan.channels + c] *= std::complex<float>(phase.constants[static_cast<std::size_t>(c)]);
    for (Index d = 0; d < plan.dims; ++d)
      shifts[r * plan.dims + d] = -phase.slope / (2 * pi) * examples->axis[static_cast<std::size_t>(d)];
  }
  if (without > 0)
    ctx.reporter().warning(fmt::format(
        "{} reversed readouts have no navigators of their slice in both directions and keep their "
        "phase",
        without));
  if (corrected == 0) return options;
  ctx.reporter().note(fmt::format(
      "echo train: {} reversed readouts are corrected by {} groups of navigators, displaced by "
      "{:.3f} cycles per field of view (mean)",
      corrected, phases.size(),
      -slopes / static_cast<double>(phases.size()) / (2 * pi) * static_cast<double>(forwards.pixels())));
  options.readout_factors = std::move(factors);
  options.readout_shifts = std::move(shifts);
  return options;
}

}  // namespace larmor
