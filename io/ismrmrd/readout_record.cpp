#include <larmor/io/ismrmrd/readout_record.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace larmor::ismrmrd {

using hdf5::AcquisitionHeaderRecord;

ReadoutHeader to_header(const AcquisitionHeaderRecord& record) {
  // The record is packed: its arrays may have any address.
  const auto copy = [&record](auto& to, std::size_t offset) {
    std::memcpy(to.data(), reinterpret_cast<const std::byte*>(&record) + offset, sizeof to);
  };
  ReadoutHeader header;
  header.version = record.version;
  header.flags = record.flags;
  header.measurement_uid = record.measurement_uid;
  header.scan_counter = record.scan_counter;
  header.acquisition_time_stamp = record.acquisition_time_stamp;
  copy(header.physiology_time_stamp, offsetof(AcquisitionHeaderRecord, physiology_time_stamp));
  header.samples = record.number_of_samples;
  header.available_channels = record.available_channels;
  header.active_channels = record.active_channels;
  header.discard_pre = record.discard_pre;
  header.discard_post = record.discard_post;
  header.center_sample = record.center_sample;
  header.encoding_space_ref = record.encoding_space_ref;
  header.trajectory_dimensions = record.trajectory_dimensions;
  header.sample_time_us = record.sample_time_us;
  copy(header.position, offsetof(AcquisitionHeaderRecord, position));
  copy(header.read_dir, offsetof(AcquisitionHeaderRecord, read_dir));
  copy(header.phase_dir, offsetof(AcquisitionHeaderRecord, phase_dir));
  copy(header.slice_dir, offsetof(AcquisitionHeaderRecord, slice_dir));
  copy(header.patient_table_position, offsetof(AcquisitionHeaderRecord, patient_table_position));
  header.encode_step_1 = record.idx.kspace_encode_step_1;
  header.encode_step_2 = record.idx.kspace_encode_step_2;
  header.average = record.idx.average;
  header.segment = record.idx.segment;
  header.counters = {record.idx.slice, record.idx.contrast, record.idx.phase, record.idx.repetition,
                     record.idx.set};
  return header;
}

AcquisitionHeaderRecord to_record(const ReadoutHeader& header) {
  AcquisitionHeaderRecord record{};
  // The record is packed: its arrays may have any address.
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

}  // namespace larmor::ismrmrd
