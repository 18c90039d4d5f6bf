#pragma once

#include <larmor/core/context.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <complex>
#include <optional>
#include <string>
#include <vector>

namespace larmor {

/// Noise that was not measured, estimated from the imaging readouts themselves.
struct NoiseEstimate {
  Array<std::complex<double>> covariance;  ///< [channels, channels], of one imaging sample
  std::string source;                      ///< description of its source
};

/// First by frequencies. Where readouts are sampled more densely than the field of view asks for, an object
/// within it makes frequencies along a part of a readout up to ½ Σ_a |Δk_a| FOV_a cycles per sample, Δk the
/// largest step; up to ½ √(Σ_a (Δk_a FOV_a)²) if it is an ellipsoid, which is tried second. What is beyond,
/// after a Blackman-Harris window (Harris 1978) whose side lobes are 92 dB down, is noise. Parts that hold
/// more than the quietest quarter does are left out: the centre of k-space. Then by repetition: readouts of
/// one slice, contrast, phase and set at the same places differ by noise, where they differ by as much at
/// the centre of k-space as far from it. At last at the edges of k-space: the last fifth of the way to the
/// farthest sample (the largest component) is compared with the fifth before it. An image falls off from the
/// one to the other and is alike from sample to sample, noise is not: noise_at_edges(). Nullopt where none of
/// these holds, where the power found is not flat or differs from part to part (as it does without noise),
/// and where there is too little of it for the channels' covariance.
std::optional<NoiseEstimate> estimate_noise(const Scan& scan, const ScanPlan& plan, Context& ctx);

/// Readouts that are used, spread over all images, together about so many samples.
std::vector<std::size_t> some_readouts(const ScanPlan& plan, Index samples);

}  // namespace larmor
