#pragma once

#include <larmor/core/data/scan.hpp>

#include <string>

namespace larmor {

/// Reads the ISMRMRD header into scan.encodings, relative_noise_bandwidth, patient_position and xml_header,
/// and adds warnings. Element names are matched without namespace prefix; missing reconSpace, encodingLimits
/// and fieldOfView_mm are left as zeros with a warning. Throws Error (input), prefixed with scan.source, for
/// text that is not XML (with the line), another root element, no encoding, and numbers that are invalid or
/// outside what ISMRMRD allows: matrix sizes are whole numbers from 1 to 65535, lengths finite and not
/// negative.
void read_ismrmrd_xml(const std::string& xml, Scan& scan);

/// An ISMRMRD header for the encodings of a scan that was not read from a file.
/// `channels`: receiverChannels; `h1_frequency_hz`: required by the standard.
std::string make_ismrmrd_xml(const Scan& scan, int channels, long h1_frequency_hz = 123200000);

}  // namespace larmor
