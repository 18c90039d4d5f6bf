#pragma once

#include <larmor/mri/scan/prepare.hpp>

#include <utility>
#include <vector>

namespace larmor {

class TrajectoryReader;

/// Fills ScanPlan::left_out and warns of each kind: readouts whose stored trajectory is zero at every sample,
/// and readouts whose samples are all zero, if other readouts of the image are not. Samples that are still in
/// the file are not checked. Also warns of single coordinates of zero that are far from those beside them.
void leave_out_empty_readouts(const Scan& scan, const TrajectoryReader& reader, Context* workers,
                              ScanPlan& plan);

/// Warns of readouts, fewer than half, that reach more than twice as far in k-space as all others. extents:
/// the largest coordinate of each readout, any unit, and its index.
void warn_of_long_readouts(std::vector<std::pair<double, std::size_t>> extents, ScanPlan& plan);

/// Warns of counters that are probably wrong: images with less than half the readouts of others, and lines
/// that were measured more often than others of their image.
void warn_of_counters(const Scan& scan, ScanPlan& plan);

/// Warns of readouts that are used nevertheless: those with the same samples as another readout, those
/// through the centre of k-space whose energy is more than 100 times above or below that of both temporal
/// neighbours, and those with over 100 times less energy than all others. Also of values that may be no
/// measurements: samples of 0 among others, samples with less than a hundredth of the magnitude of those
/// around them, samples of one phase, clipped samples, a value away from the centre that outweighs all others
/// together, channels of zeros or copies of others, and a channel with over 100 times the energy of all
/// others together, relative to their noise readouts if there are any. Samples that are still in the file are
/// not checked.
void report_odd_readouts(const Scan& scan, Context& workers, ScanPlan& plan);

}  // namespace larmor
