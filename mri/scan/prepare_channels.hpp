#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <complex>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// The matrix that converts the scan's channels to coils; the same for the whole scan.
struct ChannelPlan {
  Array<std::complex<double>> matrix;   ///< [coils, channels]: compression × whitening
  Array<std::complex<double>> inverse;  ///< [channels, coils]: back to the channels, matrix × inverse = 1
  Index coils = 0;
  bool whitened = false;
  bool estimated = false;  ///< by noise estimated from the imaging readouts, see estimate_noise
  Array<std::complex<double>> covariance;  ///< [channels, channels] of an imaging sample; empty: not known
  Index noise_samples = 0;
  double bandwidth_factor = 1;    ///< dt_imaging / dt_noise · relative noise bandwidth; 1 when not known
  double compression_energy = 1;  ///< fraction of the signal energy in the virtual coils
  double noise_variance = 0;      ///< of a sample, mean of the coils; 1 if whitened, 0: not known
  double outer_variance = 0;      ///< E|s|² of the outermost samples, in units of the noise variance
  std::vector<std::string> notes, warnings;
};

/// Covariance from the noise readouts, whitening and compression matrix. Throws Error (input) for a singular
/// covariance or noise readouts with other channels (about "no_whiten"). known: those of an earlier scan with
/// the same noise and options, which are taken if the samples can be used.
ChannelPlan plan_channels(const Scan& scan, const ScanPlan& plan, Context& ctx,
                          const ChannelOptions& options = {}, const ChannelPlan* known = nullptr);

/// The same without notes and warnings.
ChannelPlan copy_of(const ChannelPlan& channels);

/// Only the `count` coils from `first` on; the inverse is that of all coils.
ChannelPlan some_coils(const ChannelPlan& channels, Index first, Index count);

}  // namespace larmor
