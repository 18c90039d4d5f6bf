#pragma once

#include <larmor/core/context.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <complex>
#include <optional>

namespace larmor {

/// Noise that was not measured, told from the imaging readouts themselves.
struct NoiseEstimate {
  Array<std::complex<double>> covariance;  ///< [channels, channels], of one imaging sample
  Index windows = 0;                       ///< parts of readouts that it rests on
};

/// Readouts are sampled more densely than the field of view asks for: along a part of one, an object within
/// the field of view makes frequencies up to ½ Σ_a |Δk_a| FOV_a cycles per sample, Δk the largest step. What
/// is beyond, after a Blackman-Harris window (Harris 1978) whose side lobes are 92 dB down, is noise. Parts
/// that hold more than the quietest quarter does are left out: the centre of k-space. Nullopt where no
/// readout is dense enough, where the power beyond is not flat over frequencies or differs from part to part
/// (as it does without noise), and where there is too little of it for the channels' covariance.
std::optional<NoiseEstimate> estimate_noise(const Scan& scan, const ScanPlan& plan, Context& ctx);

}  // namespace larmor
