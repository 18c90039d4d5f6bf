#include <larmor/io/files/xml_node.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/mrd_stream/streamed_scan.hpp>

#include <cstring>

namespace larmor::mrd {

Scan scan_of(const std::string& xml, const std::vector<const Acquisition*>& acquisitions,
             const std::string& source, std::size_t memory_limit, bool external_trajectory) {
  IsmrmrdReadOptions options;
  options.memory_limit = memory_limit;
  options.external_trajectory = external_trajectory;
  ismrmrd::ScanBuilder builder(source, options);
  builder.begin(xml, acquisitions.size());
  std::vector<hdf5::AcquisitionHeaderRecord> records(acquisitions.size());
  for (std::size_t i = 0; i < records.size(); ++i)
    std::memcpy(&records[i], acquisitions[i]->record.data(), sizeof records[i]);
  builder.headers(0, records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::uint64_t trajectory = acquisitions[i]->trajectory_values();
    const ismrmrd::RowLengths lengths[] = {{trajectory, acquisitions[i]->numbers.size() - trajectory}};
    builder.values(i, lengths, std::span<const float>(acquisitions[i]->numbers));
  }
  return builder.finish();
}

MeasurementIds measurement_ids_of(const std::string& xml) {
  pugi::xml_document document;
  if (!document.load_buffer(xml.data(), xml.size())) return {};
  const pugi::xml_node facts = child(document.document_element(), "measurementInformation");
  MeasurementIds result{std::string(text_of(child(facts, "measurementID"))), ""};
  for (const pugi::xml_node& node : facts.children())
    if (text_of(child(node, "dependencyType")) == "Noise")
      result.noise = text_of(child(node, "measurementID"));
  return result;
}

}  // namespace larmor::mrd
