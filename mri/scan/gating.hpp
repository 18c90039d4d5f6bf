#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {

// Bins of the heart's and the breath's motion, of a scan that runs on without triggers.

/// One axis of bins.
struct Gate {
  enum class Motion { cardiac, respiratory };
  Motion motion = Motion::cardiac;
  Index bins = 1;
};

/// Phase of the heart's cycle, 0 to 1 from one R wave to the next, of each of ScanPlan::imaging: the time
/// since the R wave, which is the first of the physiology time stamps that changes and begins again, over the
/// length of the beat. −1 after the last R wave, beyond the median length of a beat. Throws Error (input) if
/// no stamp begins again.
std::vector<double> cardiac_phase(const Scan& scan, const ScanPlan& plan);

/// Depth of the breath, in arbitrary units and of either sign, at each of ScanPlan::imaging: the first
/// principal component over channels of the samples at the centre of k-space, of the frequencies from 0.1 to
/// 0.6 Hz (after Feng et al. 2016). Readouts that miss the centre get the value at their time. Throws Error
/// (input) for scans without time stamps, of several slices, shorter than 8 s, and without readouts through
/// the centre.
std::vector<double> respiratory_signal(const Scan& scan, const ScanPlan& plan);

/// The bins of frames_by_bins(), [imaging readouts, gates]. Cardiac bins are equal parts of the cycle,
/// respiratory ones equal numbers of readouts in the order of the signal. Notes state beats and breaths a
/// minute. Throws Error (input) as above, and for combinations of bins without a readout.
Array<double> gated_bins(const Scan& scan, const ScanPlan& plan, const std::vector<Gate>& gates,
                         std::vector<std::string>& notes);

}  // namespace larmor
