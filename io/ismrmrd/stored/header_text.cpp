#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/hdf5/sequence_reader.hpp>
#include <larmor/io/ismrmrd/stored/header_text.hpp>

#include <hdf5.h>

#include <algorithm>

namespace larmor::ismrmrd {

using hdf5::ElementPlaces;
using hdf5::File;
using hdf5::Handle;
using hdf5::SequenceReader;

namespace {

constexpr std::size_t most_text_bytes = std::size_t{8} << 20;

}  // namespace

std::string read_header_text(const File& file, const std::string& path) {
  const auto unreadable = [&](const std::string& reason) {
    return input_error("{}: cannot read the XML header {}: {}", file.name(), printable(path), reason);
  };
  const hdf5::Found found = hdf5::find_object(file, path);
  const Handle dataset = hdf5::open_object(file, found.address);
  const Handle type(dataset.valid() ? H5Dget_type(dataset) : -1);
  const Handle space(dataset.valid() ? H5Dget_space(dataset) : -1);
  if (!type.valid() || !space.valid()) throw unreadable(hdf5::last_reason());
  if (H5Tget_class(type) != H5T_STRING || !hdf5::sound_type(type)) throw unreadable("it is not text");
  const hssize_t elements = H5Sget_simple_extent_npoints(space);
  if (elements < 1) throw unreadable("it is empty");
  if (elements > 1) throw unreadable(fmt::format("it has {} elements, expected one", elements));
  const auto require_size = [&](std::uint64_t bytes) {
    if (bytes > most_text_bytes)
      throw unreadable(fmt::format("it has {} bytes; at most {} are read", bytes, most_text_bytes));
  };

  std::string text;
  const std::string what = fmt::format("{}: the XML header {}", file.name(), printable(path));
  if (H5Tis_variable_str(type) > 0) {
    ElementPlaces places(file, found.address, dataset, what);
    SequenceReader sequences(file);
    SequenceReader::Sequence sequence;
    std::span<const std::uint8_t> element;
    if (!places.find(0, element)) throw unreadable(places.reason());
    if (element.size() < hdf5::sequence_bytes) throw unreadable("it is empty");
    if (!sequences.find(element.data(), 1, sequence)) throw unreadable(sequences.reason());
    require_size(sequence.bytes.size());
    text.assign(reinterpret_cast<const char*>(sequence.bytes.data()), sequence.bytes.size());
  } else {
    hdf5::require_own_values(dataset, what);
    require_size(H5Tget_size(type));
    text.resize(H5Tget_size(type));
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0)
      throw unreadable(hdf5::last_reason());
  }
  // Fixed lengths are padded with blanks or zeros; some writers count a terminating zero.
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  if (trimmed(text).empty()) throw unreadable("it is empty");
  return text;
}

}  // namespace larmor::ismrmrd
