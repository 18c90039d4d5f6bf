#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>

#include <string>
#include <vector>

namespace larmor {

/// Reads the ISMRMRD header into scan.encodings, relative_noise_bandwidth, patient_position and xml_header,
/// and adds warnings. Element names are matched without namespace prefix; missing reconSpace, encodingLimits
/// and fieldOfView_mm are left as zeros with a warning. Throws Error (input), prefixed with scan.source, for
/// text that is not XML (with the line), another root element, no encoding, and numbers that are invalid or
/// outside what ISMRMRD allows: matrix sizes are whole numbers from 1 to 65535, lengths finite and not
/// negative.
void read_ismrmrd_xml(const std::string& xml, Scan& scan);

/// Times of a sequence in ms, for its header; empty: unknown.
struct SequenceTimes {
  std::vector<double> tr{}, te{};
};

/// An ISMRMRD header for the encodings of a scan that was not read from a file. `channels`: receiverChannels.
LARMOR_API std::string make_ismrmrd_xml(const Scan& scan, int channels, const SequenceTimes& times = {});

}  // namespace larmor
