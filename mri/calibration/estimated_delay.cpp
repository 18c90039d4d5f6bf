#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/estimated_delay.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/trajectory/readout_errors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace larmor {
namespace {

// More readouts hardly improve the estimate.
constexpr std::size_t most_readouts = 8000;
// Standard deviation of delays, in samples, above which there is a warning.
constexpr double sure = 0.05;

// Readouts of the first image in the plane nearest to kz = 0, of equal length.
std::vector<std::size_t> central_readouts(const Scan& scan, const ScanPlan& plan) {
  const auto& all = plan.images.front().readouts;
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::size_t index : all) nearest = std::min(nearest, std::abs(stack_kz(scan, plan, index)));
  std::vector<std::size_t> chosen;
  for (const std::size_t index : all)
    if (std::abs(stack_kz(scan, plan, index)) <= nearest + 1e-9 &&
        kept_samples(scan.readouts[index].header) == kept_samples(scan.readouts[all.front()].header))
      chosen.push_back(index);
  if (chosen.size() > most_readouts) {
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < most_readouts; ++i) some.push_back(chosen[i * chosen.size() / most_readouts]);
    chosen = std::move(some);
  }
  for (const std::size_t index : chosen) require_finite(scan, index);
  return chosen;
}

ReadoutErrors errors_of(const Scan& scan, const ScanPlan& plan, const std::vector<std::size_t>& readouts,
                        const PrepareOptions& options, Context& ctx) {
  const Index axes = plan.dims == 3 && !plan.layout.stack ? 3 : 2;
  const Index length = kept_samples(scan.readouts[readouts.front()].header);
  const Index total = length * static_cast<Index>(readouts.size());
  Array<double> trajectory({total, axes});
  Array<std::complex<float>> samples({plan.channels, total});
  for (std::size_t r = 0; r < readouts.size(); ++r) {
    const Index first = static_cast<Index>(r) * length;
    const auto k = plan.at(readouts[r]).k;
    for (Index j = 0; j < length; ++j)
      for (Index axis = 0; axis < axes; ++axis)
        trajectory[axes * (first + j) + axis] = k[static_cast<std::size_t>(j * plan.dims + axis)];
    const Readout& readout = scan.readouts[readouts[r]];
    const auto* const of_readout = scan.samples(readout);
    for (Index c = 0; c < plan.channels; ++c) {
      const auto* data = of_readout + c * readout.header.samples + readout.header.discard_pre;
      std::transform(data, data + length, samples.data() + c * total + first,
                     [&](std::complex<float> s) { return options.conjugate ? std::conj(s) : s; });
    }
  }
  Context host = ctx.host();
  const ChannelPlan channels = plan_channels(scan, plan, host, options);
  const auto whitened = apply_channel_matrix(channels.matrix, samples, host);
  return estimate_readout_errors(trajectory, whitened, length, plan.grids.recon.matrix, host);
}

// Readouts of an image with as many samples as its first one.
std::vector<std::size_t> equal_readouts(const Scan& scan, const ScanPlan& plan, const PlannedImage& image) {
  const auto length = [&](std::size_t index) { return kept_samples(scan.readouts[index].header); };
  std::vector<std::size_t> chosen;
  for (const std::size_t index : image.readouts)
    if (!plan.left_out.contains(index) && (chosen.empty() || length(index) == length(chosen.front()))) {
      require_finite(scan, index);
      chosen.push_back(index);
    }
  return chosen;
}

}  // namespace

PrepareOptions with_estimated_delay(const Scan& scan, PrepareOptions options, Context& ctx) {
  if (!std::exchange(options.estimate_delay, false)) return options;
  options.delay = {};
  const ScanPlan plan = plan_scan(scan, options);
  const bool volume = plan.dims == 3 && !plan.layout.stack;
  const ReadoutErrors found = errors_of(scan, plan, central_readouts(scan, plan), options, ctx);
  options.delay = found.delay;
  const GradientDelay &delay = found.delay, &deviation = found.deviation;
  ctx.reporter().note(fmt::format(
      "gradient delays in samples: x {:.3f}, y {:.3f}, {} {:.3f} (deviations {:.3f}, {:.3f}, {:.3f}; "
      "{} samples around the centre)",
      delay.x, delay.y, volume ? "z" : "xy", volume ? delay.z : delay.xy, deviation.x, deviation.y,
      volume ? deviation.z : deviation.xy, found.samples));
  const double worst = std::max({deviation.x, deviation.y, deviation.xy, deviation.z});
  if (worst > sure)
    ctx.reporter().warning(
        fmt::format("gradient delays are accurate to {:.2f} samples only, because too little is measured "
                    "around the centre of k-space; compare images with other delays",
                    worst));
  return options;
}

Array<std::complex<float>> estimated_factors(const Scan& scan, const ScanPlan& plan,
                                             const PrepareOptions& options, Context& ctx) {
  const auto refused = [](const std::string& reason) {
    return input_error(
               "factors of readouts are found only if all readouts pass through the centre of k-space: {}; "
               "do not request them",
               reason)
        .about("readout_phase");
  };
  const auto in_a_plane = [&](std::size_t index) {
    const auto k = plan.at(index).k;
    return k.empty() || std::abs(k.back() - k[2]) < 1e-6;
  };
  const auto& first = plan.images.front().readouts;
  if (plan.layout.stack || (plan.dims == 3 && std::all_of(first.begin(), first.end(), in_a_plane)))
    throw refused("this is a stack");
  if (plan.reading.generate == GeneratedTrajectory::cartesian) throw refused("these are Cartesian lines");
  auto factors = filled<std::complex<float>>({std::ssize(scan.readouts)}, 1);
  Index all = 0, unknown = 0;
  double phases = 0, magnitudes = 0;
  for (const PlannedImage& image : plan.images) {
    const auto readouts = equal_readouts(scan, plan, image);
    all += std::ssize(image.readouts);
    ReadoutErrors found;
    try {
      found = errors_of(scan, plan, readouts, options, ctx);
    } catch (const Error& error) {
      if (error.parameter() != "delay") throw;
      throw refused("no object explains those of this scan there");
    }
    for (std::size_t r = 0; r < readouts.size(); ++r) {
      const std::complex<float> factor = found.factors[r];
      if (factor == 0.0F) continue;
      --unknown;
      factors[static_cast<Index>(readouts[r])] = factor;
      phases += std::pow(std::arg(factor), 2);
      magnitudes += std::pow(std::abs(factor) - 1, 2);
    }
  }
  unknown += all;
  if (2 * unknown > all)
    throw refused(fmt::format("the factors of {} of {} readouts cannot be determined", unknown, all));
  const auto known = static_cast<double>(all - unknown);
  ctx.reporter().note(
      fmt::format("factors of readouts: phases scatter by {:.3g} degrees, magnitudes by {:.2g} %",
                  std::sqrt(phases / known) * 180 / std::numbers::pi, 100 * std::sqrt(magnitudes / known)));
  if (unknown > 0)
    ctx.reporter().warning(
        fmt::format("the factors of {} of {} readouts cannot be determined and stay 1", unknown, all));
  return factors;
}

}  // namespace larmor
