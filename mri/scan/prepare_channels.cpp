#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/coils/coil_compression.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/scan/noise_estimate.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace larmor {
namespace {

// Enough samples to determine the channels' principal components and the noise level.
constexpr Index samples_wanted = 200'000;

// The kept samples of readouts, side by side: [channels, samples]; conjugated on request, because then the
// noise is that of the conjugated channels, too.
Array<std::complex<float>> gather(const Scan& scan, const ScanPlan& plan,
                                  const std::vector<std::size_t>& readouts) {
  const Index channels = plan.channels;
  Index samples = 0;
  for (const std::size_t index : readouts) samples += kept_samples(scan.readouts[index].header);
  Array<std::complex<float>> result({channels, samples});
  Index first = 0;
  for (const std::size_t index : readouts) {
    const Readout& readout = scan.readouts[index];
    const Index kept = kept_samples(readout.header);
    const auto* const samples_of_all = scan.samples(readout);
    for (Index c = 0; c < channels; ++c) {
      const auto* source = samples_of_all + c * readout.header.samples + readout.header.discard_pre;
      std::copy(source, source + kept, result.data() + c * samples + first);
    }
    first += kept;
  }
  if (plan.reading.conjugate)
    for (auto& value : result) value = std::conj(value);
  return result;
}

// Rows of the identity for the channels with noise. A channel without noise is not connected.
Array<std::complex<double>> connected(const Array<std::complex<double>>& covariance,
                                      std::vector<Index>& others) {
  const Index channels = covariance.shape()[0];
  std::vector<Index> kept;
  for (Index c = 0; c < channels; ++c) (covariance[c * channels + c] == 0.0 ? others : kept).push_back(c);
  auto rows = filled<std::complex<double>>({static_cast<Index>(kept.size()), channels}, 0);
  for (std::size_t i = 0; i < kept.size(); ++i) rows[static_cast<Index>(i) * channels + kept[i]] = 1;
  return rows;
}

// scan: the one that contains the noise readouts.
void check_noise_readouts(const Scan& scan, const ScanPlan& plan) {
  for (const std::size_t index : plan.noise_readouts) {
    const ReadoutHeader& header = scan.readouts[index].header;
    if (header.active_channels != plan.channels)
      throw input_error("noise readout {} has {} channels, but the imaging readouts have {}", index,
                        header.active_channels, plan.channels);
    if (kept_samples(header) < 1)
      throw input_error("noise readout {} has no samples left after discarding", index);
    if (!scan.has_samples(scan.readouts[index]))
      throw input_error("noise readout {}: the header declares {}×{} samples that the file does not hold",
                        index, header.active_channels, header.samples);
    require_finite(scan, index);
  }
}

// The covariance of the noise readouts, and its factor for the imaging readouts' bandwidth.
void measure_noise(const Scan& scan, const ScanPlan& plan, ChannelPlan& channels, const Context& ctx) {
  check_noise_readouts(scan, plan);
  const auto noise = gather(scan, plan, plan.noise_readouts);
  channels.covariance = noise_covariance(noise, &ctx);
  channels.noise_samples = noise.shape()[1];
  const float noise_dwell = scan.readouts[plan.noise_readouts.front()].header.sample_time_us;
  if (plan.imaging_dwell_us > 0 && std::isfinite(noise_dwell) && noise_dwell > 0) {
    channels.bandwidth_factor = plan.imaging_dwell_us / noise_dwell * scan.relative_noise_bandwidth;
    if (scan.noise_bandwidth_assumed)
      channels.notes.push_back(fmt::format(
          "the header has no relativeReceiverNoiseBandwidth: {} is assumed{}", scan.relative_noise_bandwidth,
          scan.relative_noise_bandwidth == 1 ? "" : ", as Siemens systems have it"));
  } else {
    channels.warnings.push_back(
        "a sample time is missing: it is assumed that noise readouts and imaging readouts have the same "
        "bandwidth");
  }
}

void whiten(ChannelPlan& channels) {
  std::vector<Index> silent;
  const auto rows = connected(channels.covariance, silent);
  if (silent.empty() || rows.empty()) {
    channels.matrix = whitening_matrix(channels.covariance, channels.bandwidth_factor);
    channels.inverse = matrix_inverse(channels.matrix);
  } else {
    const auto columns = conjugate_transpose(rows);
    const auto white = whitening_matrix(matrix_product(matrix_product(rows, channels.covariance), columns),
                                        channels.bandwidth_factor);
    channels.matrix = matrix_product(white, rows);
    channels.inverse = matrix_product(columns, matrix_inverse(white));
    channels.coils = rows.shape()[0];
    channels.warnings.push_back(
        fmt::format("channels without noise are left out: {}", fmt::join(silent, ", ")));
  }
  channels.whitened = true;
}

// Mean variance of the coils for a covariance of the channels.
double mean_variance(const ChannelPlan& channels, const Array<std::complex<double>>& covariance) {
  const auto of_coils =
      matrix_product(matrix_product(channels.matrix, covariance), conjugate_transpose(channels.matrix));
  double sum = 0;
  for (Index c = 0; c < channels.coils; ++c) sum += of_coils[c * channels.coils + c].real();
  return sum / static_cast<double>(channels.coils);
}

// Noise of the imaging readouts, compared with the measured noise.
void check_noise(const Scan& scan, const ScanPlan& plan, ChannelPlan& channels, Context& ctx) {
  const auto estimate = estimate_noise(scan, plan, ctx);
  if (!estimate) return;
  const double variance =
      mean_variance(channels, estimate->covariance) / mean_variance(channels, channels.covariance);
  const double ratio = std::sqrt(variance);
  channels.notes.push_back(
      fmt::format("noise of the imaging readouts: {:.3g} times that of the noise readouts", ratio));
  if (std::abs(ratio - 1) > 0.1)
    channels.warnings.push_back(fmt::format(
        "the noise of the imaging readouts is {:.3g} times that of the noise readouts: a bandwidth "
        "factor of {:.3g} would fit, {:.3g} is used",
        ratio, channels.bandwidth_factor / variance, channels.bandwidth_factor));
}

constexpr const char* not_known =
    "no noise readouts, and noise cannot be separated from the object in the imaging readouts: samples are "
    "not whitened";

// From the noise readouts; if there are none, estimated from the imaging readouts.
void use_noise(const Scan& scan, const ScanPlan& plan, const ChannelOptions& options, ChannelPlan& channels,
               Context& ctx) {
  const bool measured = !plan.noise_readouts.empty();
  try {
    std::string source;
    if (measured) {
      measure_noise(options.noise ? *options.noise : scan, plan, channels, ctx);
      source = fmt::format("{} noise samples, bandwidth factor {:.4g}", channels.noise_samples,
                           channels.bandwidth_factor);
    } else if (auto estimate = estimate_noise(scan, plan, ctx)) {
      channels.covariance = std::move(estimate->covariance);
      channels.estimated = true;
      source = "the noise of " + estimate->source;
    } else {
      channels.notes.push_back(not_known);
      return;
    }
    if (!options.keep_units) whiten(channels);
    for (auto& value : channels.covariance) value /= channels.bandwidth_factor;
    const double variance = mean_variance(channels, channels.covariance);
    if (!(variance > 0) || !std::isfinite(variance))
      throw input_error("the noise variance is {}, expected a positive number", variance);
    channels.notes.push_back(fmt::format("{}{} {}", measured ? "" : "no noise readouts: ",
                                         channels.whitened ? "whitening with" : "noise variance from",
                                         source));
  } catch (const Error& error) {
    if (measured && !options.keep_units)
      throw Error(error.error_class(), std::string(error.what()) + "; switch whitening off")
          .about("no_whiten");
    channels.covariance = {};
    channels.estimated = false;
    channels.warnings.push_back(std::string(error.what()) + ": the samples are used without whitening");
  }
}

void plan_compression(const Scan& scan, const ScanPlan& plan, Index coils, ChannelPlan& channels,
                      Context& ctx) {
  if (coils < 1 || coils > channels.coils)
    throw usage_error("{} virtual coils, expected 1 … {}, the number of channels", coils, channels.coils)
        .about("coils");
  const auto samples = gather(scan, plan, some_readouts(plan, samples_wanted));
  const auto white = apply_channel_matrix(channels.matrix, samples, ctx);
  const auto compression = compression_matrix(white, coils, ctx);
  const auto compressed = apply_channel_matrix(compression, white, ctx);
  channels.compression_energy = squared_norm<float>(compressed, ctx) / squared_norm<float>(white, ctx);
  channels.inverse = matrix_product(channels.inverse, conjugate_transpose(compression));
  channels.matrix = matrix_product(compression, channels.matrix);
  channels.notes.push_back(fmt::format("{} channels compressed to {} coils that keep {:.2f} % of the energy",
                                       plan.channels, coils, 100 * channels.compression_energy));
}

// E|s|² over the outermost samples of all coils, where signal is weakest.
double outer_variance(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels, Context& ctx) {
  const auto readouts = some_readouts(plan, samples_wanted);
  std::vector<double> radius;
  for (const std::size_t index : readouts) {
    const auto k = plan.at(index).k;
    for (std::size_t j = 0; j * static_cast<std::size_t>(plan.dims) < k.size(); ++j) {
      double square = 0;
      for (int axis = 0; axis < plan.dims; ++axis) {
        const double part = k[j * static_cast<std::size_t>(plan.dims) + static_cast<std::size_t>(axis)];
        square += part * part;
      }
      radius.push_back(square);
    }
  }
  std::vector<double> sorted = radius;
  const std::size_t place = sorted.size() - 1 - sorted.size() / 50;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(place), sorted.end());
  const double outermost = sorted[place];
  std::vector<std::size_t> starts{0};
  for (const std::size_t index : readouts)
    starts.push_back(starts.back() + plan.at(index).k.size() / static_cast<std::size_t>(plan.dims));
  std::vector<double> sums(readouts.size());
  std::vector<Index> counts(readouts.size());
  // Readout by readout: with many channels, all of them together are as large as the scan.
  share_readouts(readouts.size(), &ctx, [&](std::size_t r) {
    const auto samples = apply_channel_matrix(channels.matrix, gather(scan, plan, {readouts[r]}), ctx);
    const Index columns = samples.shape()[1];
    for (Index j = 0; j < columns; ++j) {
      if (radius[starts[r] + static_cast<std::size_t>(j)] < outermost) continue;
      for (Index c = 0; c < channels.coils; ++c)
        sums[r] += std::norm(std::complex<double>(samples[c * columns + j]));
      counts[r] += channels.coils;
    }
  });
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  const Index count = std::accumulate(counts.begin(), counts.end(), Index{0});
  return sum / static_cast<double>(count);
}

void check_samples(const Scan& scan, const ScanPlan& plan, Context& ctx) {
  std::vector<std::size_t> readouts;
  for (const PlannedImage& image : plan.images)
    readouts.insert(readouts.end(), image.readouts.begin(), image.readouts.end());
  std::vector<float> largest_of(readouts.size(), 0);
  share_readouts(readouts.size(), &ctx, [&](std::size_t r) {
    largest_of[r] = largest_part(scan, scan.readouts[readouts[r]]);
    if (!std::isfinite(largest_of[r])) require_finite(scan, readouts[r]);
  });
  const double largest = *std::max_element(largest_of.begin(), largest_of.end());
  if (largest > 0 && (largest < least_magnitude || largest > most_magnitude))
    throw input_error("samples have magnitudes of up to {:.2g}, expected {:g} to {:g}: scale the data",
                      largest, least_magnitude, most_magnitude);
}

}  // namespace

ChannelPlan plan_channels(const Scan& scan, const ScanPlan& plan, Context& ctx, const ChannelOptions& options,
                          const ChannelPlan* known) {
  check_samples(scan, plan, ctx);
  if (known) return copy_of(*known);
  ChannelPlan channels;
  channels.coils = plan.channels;
  channels.matrix = identity_matrix(plan.channels);
  channels.inverse = identity_matrix(plan.channels);
  if (options.whiten)
    use_noise(scan, plan, options, channels, ctx);
  else
    channels.notes.push_back("samples are not whitened");
  if (!channels.covariance.empty() && !channels.estimated) check_noise(scan, plan, channels, ctx);
  if (options.virtual_coils != 0) {
    plan_compression(scan, plan, options.virtual_coils, channels, ctx);
    channels.coils = options.virtual_coils;
  }
  if (channels.covariance.empty()) return channels;
  channels.noise_variance = channels.whitened ? 1 : mean_variance(channels, channels.covariance);
  channels.outer_variance = outer_variance(scan, plan, channels, ctx) / channels.noise_variance;
  channels.notes.push_back(fmt::format("variance of the outermost samples: {:.3g} times that of the noise",
                                       channels.outer_variance));
  // If the variance is far from that of the noise, the noise scan does not belong to these data.
  if (channels.outer_variance < 0.5)
    channels.warnings.push_back(
        fmt::format("outermost samples have {:.3g} times the variance of the noise: the noise scan does not "
                    "fit the data",
                    channels.outer_variance));
  return channels;
}

ChannelPlan copy_of(const ChannelPlan& channels) {
  ChannelPlan copy;
  copy.matrix = clone(channels.matrix.view());
  copy.inverse = clone(channels.inverse.view());
  copy.coils = channels.coils;
  copy.whitened = channels.whitened;
  copy.estimated = channels.estimated;
  copy.noise_variance = channels.noise_variance;
  copy.covariance = clone(channels.covariance.view());
  copy.noise_samples = channels.noise_samples;
  copy.bandwidth_factor = channels.bandwidth_factor;
  copy.compression_energy = channels.compression_energy;
  copy.outer_variance = channels.outer_variance;
  return copy;
}

ChannelPlan some_coils(const ChannelPlan& channels, Index first, Index count) {
  ChannelPlan some;
  some.matrix = clone(channels.matrix.view().slices(first, count));
  some.coils = count;
  some.whitened = channels.whitened;
  some.noise_variance = channels.noise_variance;
  return some;
}

}  // namespace larmor
