#include <larmor/core/format_error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/ismrmrd/stored/records.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/ismrmrd/xml.hpp>
#include <larmor/io/isolated/writer_process.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace larmor {
namespace {

using hdf5::AcquisitionHeaderRecord;

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

void put_row(isolated::WriterProcess& writer, const Scan& scan, std::size_t index) {
  const Readout& readout = scan.readouts[index];
  const ReadoutHeader& header = readout.header;
  const std::size_t samples = std::size_t{header.samples} * header.active_channels;
  const std::size_t coordinates = std::size_t{header.samples} * header.trajectory_dimensions;
  if (!scan.has_samples(readout) || readout.trajectory_offset + coordinates > scan.trajectory.size())
    throw internal_error("readout {} leaves the scan's data ({} values at {}, {} there)", index, samples,
                         readout.data_offset, scan.data.size());
  writer.put(to_record(header));
  writer.put(std::uint64_t{coordinates});
  writer.put(std::uint64_t{2 * samples});
  writer.put(scan.trajectory.data() + readout.trajectory_offset, coordinates * sizeof(float));
  writer.put(scan.samples(readout), samples * sizeof(std::complex<float>));
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
  AtomicFile target(path, overwrite);
  // As write_acquisitions() takes it.
  isolated::WriterProcess writer(isolated::Contents::acquisitions, target);
  writer.put_text(xml);
  writer.put(std::uint64_t{scan.readouts.size()});
  for (std::size_t i = 0; i < scan.readouts.size(); ++i) put_row(writer, scan, i);
  writer.finish();
  target.commit();
}

}  // namespace larmor
