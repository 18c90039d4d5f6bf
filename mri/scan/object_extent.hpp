#pragma once

#include <larmor/mri/scan/prepare.hpp>

#include <vector>

namespace larmor {

/// A readout with samples at even distances, and a central part of the field of view that it sees.
struct SeenReadout {
  std::size_t index;
  double part;  ///< as a fraction of 1/step
};

/// The share of the object's energy that lies beyond the central parts, without noise, which is as much
/// everywhere and measured at the ends of what readouts see. 0 where all samples are zero.
double share_beyond(const Scan& scan, const std::vector<SeenReadout>& readouts);

/// From this share on, an object goes beyond a part; below, it is what edges leak.
inline constexpr double object_share = 0.01;

/// Adds a warning where spokes or lines see an object that is larger than the field of view that is solved
/// on.
void warn_of_larger_object(const Scan& scan, ScanPlan& plan);

}  // namespace larmor
