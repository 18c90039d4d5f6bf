#pragma once

#include <larmor/core/context.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <complex>
#include <optional>
#include <string>
#include <vector>

namespace larmor {

/// Noise estimated from the imaging readouts themselves, if it was not measured.
struct NoiseEstimate {
  Array<std::complex<double>> covariance;  ///< [channels, channels], of one imaging sample
  std::string source;                      ///< description of its source
};

/// Three methods are tried in order.
///
/// By frequencies: if readouts are sampled more densely than the field of view requires, an object inside it
/// produces frequencies along a part of a readout of up to ½ Σ_a |Δk_a| FOV_a cycles per sample, where Δk is
/// the largest step; up to ½ √(Σ_a (Δk_a FOV_a)²) if the object is an ellipsoid, which is tried second.
/// Higher frequencies, after a Blackman-Harris window (Harris 1978) with side lobes of −92 dB, are noise.
/// Parts with more power than the quietest quarter are left out: they are the centre of k-space.
///
/// By repetition: readouts of one slice, contrast, phase and set at the same places differ by noise, if they
/// differ by the same amount near the centre of k-space as far from it.
///
/// At the edges of k-space: the last fifth of the distance to the farthest sample (by the largest component)
/// is compared with the fifth before it. The signal of an object decreases from one to the other and is
/// correlated between neighbouring samples, noise is not: see noise_at_edges().
///
/// Nullopt if none of these applies, if the power is not flat or differs between parts (as it does without
/// noise), and if there are too few values for the channels' covariance.
std::optional<NoiseEstimate> estimate_noise(const Scan& scan, const ScanPlan& plan, Context& ctx);

/// Readouts that are used: spread over all images, with about `samples` samples in total.
std::vector<std::size_t> some_readouts(const ScanPlan& plan, Index samples);

}  // namespace larmor
