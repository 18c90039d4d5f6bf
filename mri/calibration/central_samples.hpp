#pragma once

#include <larmor/mri/scan/prepare_image.hpp>

#include <array>
#include <complex>

namespace LARMOR_API larmor {

/// Samples around the centre of k-space.
struct CentralSamples {
  Array<double> trajectory;            ///< [samples, dims], cycles/pixel of the solve grid
  Array<std::complex<float>> samples;  ///< [coils, samples]
};

/// Samples of a slice with |k| <= radius along every axis: those of its first image, and of repetitions of
/// it until there are `wanted`. `plan` is the selection's or that of its calibration readouts. `loaded`: data
/// of the first image when they are at hand, otherwise null.
CentralSamples central_samples(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                               std::uint16_t slice, const PreparedImage* loaded, double radius, double wanted,
                               Context& ctx);

/// Those with |k| <= limit along each axis x, y(, z).
CentralSamples within_box(const CentralSamples& central, const std::array<double, 3>& limit);

/// Both, one after the other.
CentralSamples joined(const CentralSamples& a, const CentralSamples& b);

}  // namespace larmor
