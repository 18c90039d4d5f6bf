#include <larmor/io/files/xml_node.hpp>
#include <larmor/io/ismrmrd/scan_builder.hpp>
#include <larmor/io/mrd_stream/streamed_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace larmor::mrd {

Scan scan_of(const std::string& xml, const std::vector<const Acquisition*>& acquisitions,
             const std::string& source, const IsmrmrdReadOptions& options) {
  ismrmrd::ScanBuilder builder(source, options);
  builder.begin(xml, acquisitions.size());
  std::vector<hdf5::AcquisitionHeaderRecord> records(acquisitions.size());
  for (std::size_t i = 0; i < records.size(); ++i)
    std::memcpy(&records[i], acquisitions[i]->record.data(), sizeof records[i]);
  builder.headers(0, records);
  // Places as in a file: the acquisition in the upper half, and bytes of its numbers in the lower one.
  constexpr int half = 32;
  std::vector<ismrmrd::RowPlaces> places;
  for (std::size_t i = 0; i < acquisitions.size(); ++i) {
    const std::uint64_t trajectory = acquisitions[i]->trajectory_values(), at = std::uint64_t{i} << half;
    places.push_back(
        {at, at + trajectory * sizeof(float), {trajectory, acquisitions[i]->numbers.size() - trajectory}});
  }
  builder.fetch(0, places, [&](std::uint64_t at, std::span<std::byte> to) {
    const auto numbers = std::as_bytes(std::span(acquisitions[at >> half]->numbers));
    const auto part = numbers.subspan(at & ~std::uint32_t{0}, to.size());
    std::copy(part.begin(), part.end(), to.begin());
    return true;
  });
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
