#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <string>

namespace LARMOR_API larmor {

/// Gives the readouts of a scan what the sequence that acquired them says: the trajectory of each, in 1/m,
/// unless `labels_alone`, and where the sequence has labels (since version 1.4) counters and flags: LIN and
/// PAR are the steps of the encoding, SLC, ECO, REP, SET, PHS, AVG and SEG slice, contrast, repetition, set,
/// phase, average and segment, and REV, NAV, NOISE, REF and IMA say that readouts are reversed, navigators,
/// noise, or for calibration. The scan has a readout for each acquisition, or one for each but noise and
/// other readouts that are flagged as no image data. Throws Error (input) where numbers of readouts or
/// samples differ.
void take_sequence(const std::string& path, Scan& scan, bool labels_alone = false);

/// A header with the echo and repetition times that the sequence says, for a scan that has none.
void add_sequence_times(const std::string& path, Scan& scan);

}  // namespace larmor
