#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Properties that headers do not define, and that files handle in different ways.
struct ReadoutConvention {
  /// Index in the file of the sample at the centre of k-space for a reversed readout: center_sample (as in
  /// the ISMRMRD specification), the one before it (converted Siemens data), or center_sample counted from
  /// the end.
  enum class Reversed { stored, one_before, from_end };
  Reversed reversed = Reversed::stored;
  /// A center_sample of 0 is the first sample, as for centre-out spokes; otherwise a field left empty.
  bool zero_is_first = false;
  /// Samples are 1/(oversampling · FOV) apart; more than 1 if the encoded matrix does not include it.
  Index oversampling = 1;
};
const char* to_string(ReadoutConvention::Reversed reversed);

/// Index in the file of the sample at the centre of k-space. If the header gives none within the readout,
/// that of a full echo.
Index echo_sample(const ReadoutHeader& header, const ReadoutConvention& convention);

/// Positions along the readout of the samples that remain after discard_pre and discard_post, in the order of
/// the file. Unit: the distance between samples, 1/FOV, where FOV is the encoded field of view along the
/// readout.
std::vector<double> readout_line(const ReadoutHeader& header, const ReadoutConvention& convention);

}  // namespace larmor
