#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/hdf5/output.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/ismrmrd/xml.hpp>

#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace larmor {
namespace {

using hdf5::AcquisitionHeaderRecord;
using hdf5::AcquisitionRecord;
using hdf5::Handle;

constexpr std::size_t rows_a_chunk = 64;

AcquisitionHeaderRecord to_record(const ReadoutHeader& header) {
  AcquisitionHeaderRecord record{};
  // The record is packed: its arrays may lie at any address.
  const auto copy = [&record](std::size_t offset, const auto& from) {
    std::memcpy(reinterpret_cast<std::byte*>(&record) + offset, from.data(), sizeof from);
  };
  record.version = header.version;
  record.flags = header.flags;
  record.measurement_uid = header.measurement_uid;
  record.scan_counter = header.scan_counter;
  record.acquisition_time_stamp = header.acquisition_time_stamp;
  copy(offsetof(AcquisitionHeaderRecord, physiology_time_stamp), header.physiology_time_stamp);
  record.number_of_samples = header.samples;
  record.available_channels = header.available_channels;
  record.active_channels = header.active_channels;
  for (std::size_t channel = 0; channel < std::min<std::size_t>(header.active_channels, 1024); ++channel)
    record.channel_mask[channel / 64] |= std::uint64_t{1} << (channel % 64);
  record.discard_pre = header.discard_pre;
  record.discard_post = header.discard_post;
  record.center_sample = header.center_sample;
  record.encoding_space_ref = header.encoding_space_ref;
  record.trajectory_dimensions = header.trajectory_dimensions;
  record.sample_time_us = header.sample_time_us;
  copy(offsetof(AcquisitionHeaderRecord, position), header.position);
  copy(offsetof(AcquisitionHeaderRecord, read_dir), header.read_dir);
  copy(offsetof(AcquisitionHeaderRecord, phase_dir), header.phase_dir);
  copy(offsetof(AcquisitionHeaderRecord, slice_dir), header.slice_dir);
  copy(offsetof(AcquisitionHeaderRecord, patient_table_position), header.patient_table_position);
  record.idx.kspace_encode_step_1 = header.encode_step_1;
  record.idx.kspace_encode_step_2 = header.encode_step_2;
  record.idx.average = header.average;
  record.idx.slice = header.counters.slice;
  record.idx.contrast = header.counters.contrast;
  record.idx.phase = header.counters.phase;
  record.idx.repetition = header.counters.repetition;
  record.idx.set = header.counters.set;
  record.idx.segment = header.segment;
  return record;
}

// Points into the scan's arrays; HDF5 only reads from there.
AcquisitionRecord to_record(const Scan& scan, std::size_t index) {
  const Readout& readout = scan.readouts[index];
  const ReadoutHeader& header = readout.header;
  const std::size_t samples = std::size_t{header.samples} * header.active_channels;
  const std::size_t coordinates = std::size_t{header.samples} * header.trajectory_dimensions;
  if (readout.data_offset + samples > scan.data.size() ||
      readout.trajectory_offset + coordinates > scan.trajectory.size())
    throw internal_error("readout {} leaves the scan's data ({} values at {}, {} there)", index, samples,
                         readout.data_offset, scan.data.size());
  AcquisitionRecord record{};
  record.head = to_record(header);
  record.data = {2 * samples, const_cast<std::complex<float>*>(scan.data.data() + readout.data_offset)};
  record.traj = {coordinates, const_cast<float*>(scan.trajectory.data() + readout.trajectory_offset)};
  return record;
}

void write_acquisitions(const hdf5::Output& output, hid_t group, const Scan& scan) {
  const Handle memory_type = hdf5::acquisition_type();
  const Handle file_type(H5Tcopy(memory_type));
  output.require(H5Tpack(file_type));
  const hsize_t rows = scan.readouts.size(), unlimited = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &rows, &unlimited));
  const Handle properties = output.dataset_properties();
  const hsize_t chunk = std::clamp<hsize_t>(rows, 1, rows_a_chunk);
  output.require(H5Pset_chunk(properties, 1, &chunk));
  const Handle dataset(H5Dcreate2(group, "data", file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  output.require(dataset);
  std::vector<AcquisitionRecord> block;
  for (hsize_t first = 0; first < rows; first += rows_a_chunk) {
    const hsize_t count = std::min<hsize_t>(rows_a_chunk, rows - first);
    block.clear();
    for (hsize_t row = first; row < first + count; ++row) block.push_back(to_record(scan, row));
    output.require(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr));
    const Handle memory_space(H5Screate_simple(1, &count, nullptr));
    output.require(H5Dwrite(dataset, memory_type, memory_space, space, H5P_DEFAULT, block.data()));
  }
}

}  // namespace

void write_ismrmrd_raw(const std::string& path, const Scan& scan, bool overwrite) {
  std::string xml = scan.xml_header;
  if (xml.empty()) {
    int channels = 0;
    for (const Readout& readout : scan.readouts)
      channels = std::max<int>(channels, readout.header.active_channels);
    xml = make_ismrmrd_xml(scan, channels);
  }
  hdf5::Output output(path, overwrite);
  {
    const Handle group = output.make_group("dataset");
    output.write_text(group, "xml", xml);
    write_acquisitions(output, group, scan);
  }
  output.commit();
}

}  // namespace larmor
