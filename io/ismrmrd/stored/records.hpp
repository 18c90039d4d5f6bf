#pragma once

#include <cstdint>

// ISMRMRD's structures as stored in files (340 and 198 bytes, packed, and 40 bytes, aligned); not part of the
// public interface. Names and order follow the standard's ismrmrd.h and waveform.h.

namespace larmor::hdf5 {

#pragma pack(push, 1)
struct EncodingCountersRecord {
  std::uint16_t kspace_encode_step_1, kspace_encode_step_2, average, slice, contrast, phase, repetition, set,
      segment;
  std::uint16_t user[8];
};

struct AcquisitionHeaderRecord {
  std::uint16_t version;
  std::uint64_t flags;
  std::uint32_t measurement_uid, scan_counter, acquisition_time_stamp;
  std::uint32_t physiology_time_stamp[3];
  std::uint16_t number_of_samples, available_channels, active_channels;
  std::uint64_t channel_mask[16];
  std::uint16_t discard_pre, discard_post, center_sample, encoding_space_ref, trajectory_dimensions;
  float sample_time_us;
  float position[3], read_dir[3], phase_dir[3], slice_dir[3], patient_table_position[3];
  EncodingCountersRecord idx;
  std::int32_t user_int[8];
  float user_float[8];
};

struct ImageHeaderRecord {
  std::uint16_t version, data_type;
  std::uint64_t flags;
  std::uint32_t measurement_uid;
  std::uint16_t matrix_size[3];
  float field_of_view[3];
  std::uint16_t channels;
  float position[3], read_dir[3], phase_dir[3], slice_dir[3], patient_table_position[3];
  std::uint16_t average, slice, contrast, phase, repetition, set;
  std::uint32_t acquisition_time_stamp;
  std::uint32_t physiology_time_stamp[3];
  std::uint16_t image_type, image_index, image_series_index;
  std::int32_t user_int[8];
  float user_float[8];
  std::uint32_t attribute_string_len;
};
#pragma pack(pop)

struct WaveformHeaderRecord {
  std::uint16_t version;
  std::uint64_t flags;
  std::uint32_t measurement_uid, scan_counter, time_stamp;
  std::uint16_t number_of_samples, channels;
  float sample_time_us;
  std::uint16_t waveform_id;
};

static_assert(sizeof(AcquisitionHeaderRecord) == 340);
static_assert(sizeof(ImageHeaderRecord) == 198);
static_assert(sizeof(WaveformHeaderRecord) == 40);

}  // namespace larmor::hdf5
