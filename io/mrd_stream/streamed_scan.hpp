#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/mrd_stream/message_reader.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace LARMOR_API larmor {
namespace mrd {

/// A scan made from the acquisitions of a stream, with the checks of read_ismrmrd(). source: for messages.
/// memory_limit: in bytes; 0: the available memory. external_trajectory as in IsmrmrdReadOptions. Throws
/// Error like read_ismrmrd().
Scan scan_of(const std::string& xml, const std::vector<const Acquisition*>& acquisitions,
             const std::string& source, std::size_t memory_limit = 0, bool external_trajectory = false);

/// Identifiers of a measurement and of the noise measurement that its header refers to; empty: none.
struct MeasurementIds {
  std::string own, noise;
};
/// Empty for a text that is not an ISMRMRD header.
MeasurementIds measurement_ids_of(const std::string& xml);

}  // namespace mrd
}  // namespace larmor
