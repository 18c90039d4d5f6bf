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

constexpr std::size_t rows_a_chunk = 64;

// A row and the memory to which it points.
class Row {
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

}  // namespace

void write_acquisitions(hdf5::Output& output, Source& source) {
  const Handle group = output.make_group("dataset");
  output.write_text(group, "xml", source.take_text());
  const Handle memory_type = hdf5::acquisition_type();
  const Handle file_type(H5Tcopy(memory_type));
  output.require(H5Tpack(file_type));
  const hsize_t rows = source.take<std::uint64_t>(), unlimited = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &rows, &unlimited));
  const Handle properties = output.dataset_properties();
  const hsize_t chunk = std::clamp<hsize_t>(rows, 1, rows_a_chunk);
  output.require(H5Pset_chunk(properties, 1, &chunk));
  const Handle dataset(H5Dcreate2(group, "data", file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(dataset);
  std::array<Row, rows_a_chunk> memory;
  std::array<AcquisitionRecord, rows_a_chunk> block;
  for (hsize_t first = 0; first < rows; first += rows_a_chunk) {
    const hsize_t count = std::min<hsize_t>(rows_a_chunk, rows - first);
    for (hsize_t i = 0; i < count; ++i) block[i] = memory[i].take(source);
    output.require(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr));
    const Handle memory_space(H5Screate_simple(1, &count, nullptr));
    output.require(H5Dwrite(dataset, memory_type, memory_space, space, H5P_DEFAULT, block.data()));
  }
}

}  // namespace larmor::ismrmrd
