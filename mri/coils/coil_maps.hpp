#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>

namespace LARMOR_API larmor {

// Phase convention of estimated maps: the phase of the first principal component of the channels is zero, so
// that images have the phase of that virtual coil. Magnitude: root-sum-of-squares 1 where there is signal,
// otherwise 0.

/// Parameters of the adaptive combination for coil maps.
struct WalshOptions {
  /// Pixels on either side that are averaged in the local channel covariance.
  Index radius = 3;
  /// Maps are zero where the local signal is below this fraction of its maximum.
  double crop = 0.01;
};

/// Coil maps by the local channel covariance of coil images [coils, (z,) y, x] (Walsh et al. 2000).
Array<std::complex<float>> walsh_maps(View<const std::complex<float>> coil_images,
                                      const WalshOptions& options, Context& ctx);

/// Converts maps of whitened (and compressed) channels [virtual, …] to the original channels and normalises
/// them there to root-sum-of-squares 1 (0 where the maps are 0). `inverse` [channels, virtual] is W⁻¹Bᴴ for
/// the whitening W and the compression B (W⁻¹ without compression). Maps files hold such maps. Maps, and the
/// result, are on the context's device.
Array<std::complex<float>> original_channel_maps(View<const std::complex<float>> maps,
                                                 View<const std::complex<double>> inverse, Context& ctx);
/// The same into `original` [channels, …].
void original_channel_maps(View<const std::complex<float>> maps, View<const std::complex<double>> inverse,
                           View<std::complex<float>> original, Context& ctx);

}  // namespace larmor
