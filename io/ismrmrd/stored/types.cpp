#include <larmor/core/format_error.hpp>
#include <larmor/io/ismrmrd/stored/types.hpp>

#include <hdf5.h>

#include <cstddef>
#include <type_traits>

namespace larmor::hdf5 {
namespace {

static_assert(sizeof(Sequence) == sizeof(hvl_t) && offsetof(Sequence, values) == offsetof(hvl_t, p));

template <typename T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, std::uint16_t>) return H5T_NATIVE_UINT16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
}

// Adds members to a compound type: numbers, and one-dimensional arrays of numbers.
class CompoundBuilder {
 public:
  explicit CompoundBuilder(std::size_t bytes) : type_(H5Tcreate(H5T_COMPOUND, bytes)) {}
  template <typename T>
  CompoundBuilder& add(const char* name, std::size_t offset) {
    if constexpr (std::is_array_v<T>) {
      const hsize_t extent = std::extent_v<T>;
      const Handle array(H5Tarray_create2(native_type<std::remove_extent_t<T>>(), 1, &extent));
      return add(name, offset, array);
    } else {
      return add(name, offset, native_type<T>());
    }
  }
  CompoundBuilder& add(const char* name, std::size_t offset, hid_t member) {
    if (H5Tinsert(type_, name, offset, member) < 0)
      throw internal_error("HDF5 type of {}: {}", name, last_reason());
    return *this;
  }
  Handle done() { return std::move(type_); }

 private:
  Handle type_;
};

#define LARMOR_MEMBER(record, member) add<decltype(record::member)>(#member, offsetof(record, member))

Handle encoding_counters_type() {
  using R = EncodingCountersRecord;
  return CompoundBuilder(sizeof(R))
      .LARMOR_MEMBER(R, kspace_encode_step_1)
      .LARMOR_MEMBER(R, kspace_encode_step_2)
      .LARMOR_MEMBER(R, average)
      .LARMOR_MEMBER(R, slice)
      .LARMOR_MEMBER(R, contrast)
      .LARMOR_MEMBER(R, phase)
      .LARMOR_MEMBER(R, repetition)
      .LARMOR_MEMBER(R, set)
      .LARMOR_MEMBER(R, segment)
      .LARMOR_MEMBER(R, user)
      .done();
}

}  // namespace

Handle acquisition_header_type() {
  using R = AcquisitionHeaderRecord;
  const Handle counters = encoding_counters_type();
  return CompoundBuilder(sizeof(R))
      .LARMOR_MEMBER(R, version)
      .LARMOR_MEMBER(R, flags)
      .LARMOR_MEMBER(R, measurement_uid)
      .LARMOR_MEMBER(R, scan_counter)
      .LARMOR_MEMBER(R, acquisition_time_stamp)
      .LARMOR_MEMBER(R, physiology_time_stamp)
      .LARMOR_MEMBER(R, number_of_samples)
      .LARMOR_MEMBER(R, available_channels)
      .LARMOR_MEMBER(R, active_channels)
      .LARMOR_MEMBER(R, channel_mask)
      .LARMOR_MEMBER(R, discard_pre)
      .LARMOR_MEMBER(R, discard_post)
      .LARMOR_MEMBER(R, center_sample)
      .LARMOR_MEMBER(R, encoding_space_ref)
      .LARMOR_MEMBER(R, trajectory_dimensions)
      .LARMOR_MEMBER(R, sample_time_us)
      .LARMOR_MEMBER(R, position)
      .LARMOR_MEMBER(R, read_dir)
      .LARMOR_MEMBER(R, phase_dir)
      .LARMOR_MEMBER(R, slice_dir)
      .LARMOR_MEMBER(R, patient_table_position)
      .add("idx", offsetof(R, idx), counters)
      .LARMOR_MEMBER(R, user_int)
      .LARMOR_MEMBER(R, user_float)
      .done();
}

Handle image_header_type() {
  using R = ImageHeaderRecord;
  return CompoundBuilder(sizeof(R))
      .LARMOR_MEMBER(R, version)
      .LARMOR_MEMBER(R, data_type)
      .LARMOR_MEMBER(R, flags)
      .LARMOR_MEMBER(R, measurement_uid)
      .LARMOR_MEMBER(R, matrix_size)
      .LARMOR_MEMBER(R, field_of_view)
      .LARMOR_MEMBER(R, channels)
      .LARMOR_MEMBER(R, position)
      .LARMOR_MEMBER(R, read_dir)
      .LARMOR_MEMBER(R, phase_dir)
      .LARMOR_MEMBER(R, slice_dir)
      .LARMOR_MEMBER(R, patient_table_position)
      .LARMOR_MEMBER(R, average)
      .LARMOR_MEMBER(R, slice)
      .LARMOR_MEMBER(R, contrast)
      .LARMOR_MEMBER(R, phase)
      .LARMOR_MEMBER(R, repetition)
      .LARMOR_MEMBER(R, set)
      .LARMOR_MEMBER(R, acquisition_time_stamp)
      .LARMOR_MEMBER(R, physiology_time_stamp)
      .LARMOR_MEMBER(R, image_type)
      .LARMOR_MEMBER(R, image_index)
      .LARMOR_MEMBER(R, image_series_index)
      .LARMOR_MEMBER(R, user_int)
      .LARMOR_MEMBER(R, user_float)
      .LARMOR_MEMBER(R, attribute_string_len)
      .done();
}

Handle waveform_header_type() {
  using R = WaveformHeaderRecord;
  return CompoundBuilder(sizeof(R))
      .LARMOR_MEMBER(R, version)
      .LARMOR_MEMBER(R, flags)
      .LARMOR_MEMBER(R, measurement_uid)
      .LARMOR_MEMBER(R, scan_counter)
      .LARMOR_MEMBER(R, time_stamp)
      .LARMOR_MEMBER(R, number_of_samples)
      .LARMOR_MEMBER(R, channels)
      .LARMOR_MEMBER(R, sample_time_us)
      .LARMOR_MEMBER(R, waveform_id)
      .done();
}

#undef LARMOR_MEMBER

Handle complex_type(Id real_type) {
  const std::size_t bytes = H5Tget_size(real_type);
  return CompoundBuilder(2 * bytes).add("real", 0, real_type).add("imag", bytes, real_type).done();
}

Handle pair_of_floats(Id pair) {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(float)));
  for (unsigned part = 0; part < 2; ++part) {
    char* name = H5Tget_member_name(pair, part);
    H5Tinsert(type, name, part * sizeof(float), H5T_NATIVE_FLOAT);
    H5free_memory(name);
  }
  return type;
}

Handle acquisition_type() {
  using R = AcquisitionRecord;
  const Handle head = acquisition_header_type();
  const Handle floats(H5Tvlen_create(H5T_NATIVE_FLOAT));
  return CompoundBuilder(sizeof(R))
      .add("head", offsetof(R, head), head)
      .add("traj", offsetof(R, traj), floats)
      .add("data", offsetof(R, data), floats)
      .done();
}

Handle waveform_type() {
  using R = WaveformRecord;
  const Handle head = waveform_header_type();
  const Handle numbers(H5Tvlen_create(H5T_NATIVE_UINT32));
  return CompoundBuilder(sizeof(R))
      .add("head", offsetof(R, head), head)
      .add("data", offsetof(R, data), numbers)
      .done();
}

Handle common_members(Id wanted, Id available) {
  Handle result(H5Tcreate(H5T_COMPOUND, H5Tget_size(wanted)));
  bool any = false;
  const int count = H5Tget_nmembers(wanted);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<unsigned>(i);
    char* name = H5Tget_member_name(wanted, index);
    const int other = H5Tget_member_index(available, name);
    Handle member(H5Tget_member_type(wanted, index));
    if (other >= 0 && H5Tget_class(member) == H5T_COMPOUND) {
      const Handle available_member(H5Tget_member_type(available, static_cast<unsigned>(other)));
      member = H5Tget_class(available_member) == H5T_COMPOUND ? common_members(member, available_member)
                                                              : Handle();
    }
    if (other >= 0 && member.valid())
      any = H5Tinsert(result, name, H5Tget_member_offset(wanted, index), member) >= 0 || any;
    H5free_memory(name);
  }
  return any ? std::move(result) : Handle();
}

}  // namespace larmor::hdf5
