#pragma once

#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/mrd_stream/message_reader.hpp>

#include <string>
#include <vector>

namespace LARMOR_API larmor {
namespace mrd {

/// A scan made from the acquisitions of a stream, with the checks of read_ismrmrd(). source: for messages.
/// Throws Error like read_ismrmrd().
Scan scan_of(const std::string& xml, const std::vector<const Acquisition*>& acquisitions,
             const std::string& source, const IsmrmrdReadOptions& options = {});

/// Identifiers of a measurement and of the noise measurement that its header refers to; empty: none.
struct MeasurementIds {
  std::string own, noise;
};
/// Empty for a text that is not an ISMRMRD header.
MeasurementIds measurement_ids_of(const std::string& xml);

}  // namespace mrd
}  // namespace larmor
