#include <larmor/io/ismrmrd/stored/acquisition_output.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <vector>

namespace larmor::ismrmrd {
namespace {

using hdf5::AcquisitionRecord;
using hdf5::Handle;
using hdf5::WaveformRecord;

constexpr std::size_t rows_a_chunk = 64;

// A row and the memory to which it points.
class AcquisitionRow {
 public:
  AcquisitionRecord take(Source& source) {
    AcquisitionRecord record{};
    record.head = source.take<hdf5::AcquisitionHeaderRecord>();
    record.traj.length = source.take<std::uint64_t>();
    record.data.length = source.take<std::uint64_t>();
    numbers_.resize(record.traj.length + record.data.length);
    source.take(numbers_.data(), numbers_.size() * sizeof(float));
    record.traj.values = numbers_.data();
    record.data.values = numbers_.data() + record.traj.length;
    return record;
  }

 private:
  std::vector<float> numbers_;
};

class WaveformRow {
 public:
  WaveformRecord take(Source& source) {
    WaveformRecord record{};
    record.head = source.take<hdf5::WaveformHeaderRecord>();
    values_.resize(std::size_t{record.head.number_of_samples} * record.head.channels);
    source.take(values_.data(), values_.size() * sizeof(std::uint32_t));
    record.data = {values_.size(), values_.data()};
    return record;
  }

 private:
  std::vector<std::uint32_t> values_;
};

template <typename Row>
void write_table(hdf5::Output& output, const Handle& group, const char* name, hsize_t rows,
                 const Handle& memory_type, Source& source) {
  const Handle file_type(H5Tcopy(memory_type));
  output.require(H5Tpack(file_type));
  const hsize_t unlimited = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &rows, &unlimited));
  const Handle properties = output.dataset_properties();
  const hsize_t chunk = std::clamp<hsize_t>(rows, 1, rows_a_chunk);
  output.require(H5Pset_chunk(properties, 1, &chunk));
  const Handle dataset(H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(dataset);
  std::array<Row, rows_a_chunk> memory;
  std::array<decltype(memory[0].take(source)), rows_a_chunk> block;
  for (hsize_t first = 0; first < rows; first += rows_a_chunk) {
    const hsize_t count = std::min<hsize_t>(rows_a_chunk, rows - first);
    for (hsize_t i = 0; i < count; ++i) block[i] = memory[i].take(source);
    output.require(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr));
    const Handle memory_space(H5Screate_simple(1, &count, nullptr));
    output.require(H5Dwrite(dataset, memory_type, memory_space, space, H5P_DEFAULT, block.data()));
  }
}

}  // namespace

void write_acquisitions(hdf5::Output& output, Source& source) {
  const Handle group = output.make_group("dataset");
  output.write_text(group, "xml", source.take_text());
  const auto rows = source.take<std::uint64_t>();
  write_table<AcquisitionRow>(output, group, "data", rows, hdf5::acquisition_type(), source);
  if (const auto waveforms = source.take<std::uint64_t>(); waveforms > 0)
    write_table<WaveformRow>(output, group, "waveforms", waveforms, hdf5::waveform_type(), source);
}

}  // namespace larmor::ismrmrd
