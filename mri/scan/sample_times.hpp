#pragma once

#include <larmor/mri/scan/prepare.hpp>

namespace larmor {

class TrajectoryReader;

/// Times in s at which the kept samples of an image were acquired, for each of its readouts. 0 is the echo of
/// a readout; for an echo train, that of the line at the centre of k-space. Readouts that start where the
/// previous one ended are continuations, whose time continues as well. Throws Error (input) if the dwell time
/// is not known.
std::vector<std::vector<double>> sample_times(const Scan& scan, const ScanPlan& plan,
                                              const PlannedImage& image, const TrajectoryReader& reader);

/// Adds the source of the times to the notes of `plan`, and a warning if those of an echo train are not
/// known.
void describe_times(const Scan& scan, ScanPlan& plan, const TrajectoryReader& reader);

}  // namespace larmor
