#pragma once

#include <larmor/mri/scan/prepare.hpp>

namespace larmor {

class TrajectoryReader;

/// Fills ScanPlan::left_out and warns of each kind: readouts whose stored trajectory is zero at every sample,
/// and readouts whose samples are all zero, where others of the image do have one. Samples that are still in
/// the file are not looked at.
void leave_out_empty_readouts(const Scan& scan, const TrajectoryReader& reader, Context* workers,
                              ScanPlan& plan);

/// Warns of readouts that are used all the same: those that hold the samples of another readout of their
/// image, and those through the centre of k-space whose energy is more than 100 times above or below that of
/// both neighbours in time. Samples that are still in the file are not looked at.
void report_odd_readouts(const Scan& scan, Context& workers, ScanPlan& plan);

}  // namespace larmor
