#pragma once

#include <larmor/mri/coils/central_part.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

namespace LARMOR_API larmor {

/// Samples of a slice with |k| <= radius along every axis, trajectory in cycles/pixel of the solve grid:
/// those of its first image, and of repetitions of it until there are `wanted`. `plan` is the selection's or
/// that of its calibration readouts. `loaded`: data of the first image when they are at hand, otherwise null.
CentralPart<float> central_samples(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                                   std::uint16_t slice, const PreparedImage* loaded, double radius,
                                   double wanted, Context& ctx);

/// Both, one after the other.
CentralPart<float> joined(const CentralPart<float>& a, const CentralPart<float>& b);

}  // namespace larmor
