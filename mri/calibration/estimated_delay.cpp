#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/estimated_delay.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/mri/trajectory/readout_errors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace larmor {
namespace {

// More hardly improve what these say.
constexpr std::size_t most_readouts = 8000;
// Delays, in samples, that are less sure than this are warned of.
constexpr double sure = 0.05;

// Readouts of the plane nearest to kz = 0 of the first image, of equal length.
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

}  // namespace

PrepareOptions with_estimated_delay(const Scan& scan, PrepareOptions options, Context& ctx) {
  if (!std::exchange(options.estimate_delay, false)) return options;
  options.delay = {};
  const ScanPlan plan = plan_scan(scan, options);
  const bool volume = plan.dims == 3 && !plan.layout.stack;
  const Index axes = volume ? 3 : 2;
  const auto readouts = central_readouts(scan, plan);
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
  const auto found = estimate_readout_errors(trajectory, whitened, length, plan.grids.recon.matrix, host);
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

}  // namespace larmor
