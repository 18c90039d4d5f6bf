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

/// A value for each of ScanPlan::imaging, and where it comes from.
struct MotionSignal {
  std::vector<double> values;
  std::string source;
};

/// Phase of the heart's cycle, 0 to 1 from one R wave to the next: the time since the R wave over the length
/// of the beat. The time is the first of the physiology time stamps that changes and begins again; otherwise
/// R waves are the triggers of the ECG waveform, otherwise of the pulse waveform. −1 before the first R wave,
/// and after the last one beyond the median length of a beat. Throws Error (input) if there is none of these.
MotionSignal cardiac_phase(const Scan& scan, const ScanPlan& plan);

/// Depth of the breath, in arbitrary units and of either sign: the respiration waveform, if it varies during
/// the scan, otherwise the first principal component over channels of the samples at the centre of k-space;
/// of either the frequencies from 0.1 to 0.6 Hz (after Feng et al. 2016). Readouts that miss the centre get
/// the value at their time. Throws Error (input) for scans without time stamps and shorter than 8 s; without
/// the waveform also for several slices and without readouts through the centre.
MotionSignal respiratory_signal(const Scan& scan, const ScanPlan& plan);

/// The bins of frames_by_bins(), [imaging readouts, gates]. Cardiac bins are equal parts of the cycle,
/// respiratory ones equal numbers of readouts in the order of the signal. Notes state beats and breaths a
/// minute and their source. Throws Error (input) as above, and for combinations of bins without a readout.
Array<double> gated_bins(const Scan& scan, const ScanPlan& plan, const std::vector<Gate>& gates,
                         std::vector<std::string>& notes);

}  // namespace larmor
