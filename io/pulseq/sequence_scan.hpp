#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <string>

namespace LARMOR_API larmor {

/// Applies a sequence to the readouts of a scan that it acquired: the trajectory of each, in 1/m, unless
/// `labels_alone`, and if the sequence has labels (since version 1.4), counters and flags: LIN and PAR are
/// the steps of the encoding; SLC, ECO, REP, SET, PHS, AVG and SEG are slice, contrast, repetition, set,
/// phase, average and segment; REV, NAV, NOISE, REF and IMA mark readouts as reversed, navigators, noise, or
/// calibration. The scan must have a readout for each acquisition, possibly except for noise and other
/// readouts flagged as not being image data. Throws Error (input) if numbers of readouts or samples differ.
void take_sequence(const std::string& path, Scan& scan, bool labels_alone = false);

/// A header with the sequence's echo and repetition times, for a scan that has none.
void add_sequence_times(const std::string& path, Scan& scan);

}  // namespace larmor
