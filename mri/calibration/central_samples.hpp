#pragma once

#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/central_part.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

namespace LARMOR_API larmor {

/// Central samples are gathered from this multiple of a region's width, so that its edge is fitted from both
/// sides.
inline constexpr double central_margin = 1.5;

/// Samples of a slice around the centre of k-space, for a region and a margin around it, trajectory in
/// cycles/pixel of the solve grid: those of its first image, and of repetitions of it until there are enough.
/// `plan` is the selection's or that of its calibration readouts. The region's field of view is not 0.
/// `loaded`: data of the first image if available, otherwise null.
CentralPart central_samples(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                            std::uint16_t slice, const PreparedImage* loaded,
                            const CalibrationOptions& region, Context& ctx);

/// Concatenates both.
CentralPart joined(const CentralPart& a, const CentralPart& b);

}  // namespace larmor
