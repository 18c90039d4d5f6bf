#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/data/host_vector.hpp>
#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Acquisition flags of ISMRMRD, numbered from 1 (flag n is bit n − 1).
enum class AcquisitionFlag : int {
  last_in_slice = 8,
  last_in_repetition = 14,
  noise = 19,
  calibration = 20,
  calibration_and_imaging = 21,
  reverse = 22,
  navigation = 23,
  phase_correction = 24,
  last_in_measurement = 25,
  hp_feedback = 26,
  dummy = 27,
  rt_feedback = 28,
  surface_coil = 29,
  phase_stabilization_reference = 30,
  phase_stabilization = 31
};

inline constexpr double time_stamp_s = 2.5e-3;  ///< unit of time stamps, as in ISMRMRD

/// Contents of a readout's header; names and units follow ISMRMRD.
struct ReadoutHeader {
  std::uint16_t version = 1;
  std::uint64_t flags = 0;
  /// Time stamps count time_stamp_s.
  std::uint32_t measurement_uid = 0, scan_counter = 0, acquisition_time_stamp = 0;
  std::array<std::uint32_t, 3> physiology_time_stamp{};
  std::uint16_t samples = 0;
  std::uint16_t available_channels = 0, active_channels = 0;
  std::uint16_t discard_pre = 0, discard_post = 0, center_sample = 0;
  std::uint16_t encoding_space_ref = 0;
  std::uint16_t trajectory_dimensions = 0;
  float sample_time_us = 0;
  std::array<float, 3> position{}, read_dir{}, phase_dir{}, slice_dir{}, patient_table_position{};
  std::uint16_t encode_step_1 = 0, encode_step_2 = 0, average = 0, segment = 0;
  ImageCounters counters;

  /// Reads and sets one of `flags`.
  bool has(AcquisitionFlag flag) const { return (flags >> (static_cast<int>(flag) - 1)) & 1; }
  void set(AcquisitionFlag flag) { flags |= std::uint64_t{1} << (static_cast<int>(flag) - 1); }
};

/// A readout: its header, and the position of its numbers in Scan::data and Scan::trajectory.
struct Readout {
  ReadoutHeader header;
  std::size_t data_offset = 0;        ///< active_channels × samples values, channel slowest
  std::size_t trajectory_offset = 0;  ///< samples × trajectory_dimensions values, dimension fastest
};

/// A piece of a physiological signal. Its last channel marks triggers by values other than 0, if it has
/// several; the others are amplitudes in the units of the recorder.
struct Waveform {
  static constexpr std::uint16_t ecg = 0, pulse = 1, respiration = 2;  ///< of ISMRMRD's `waveform_id`

  std::uint16_t id = ecg, channels = 0;  ///< kind of signal (`waveform_id`), number of channels
  std::uint32_t time_stamp = 0;          ///< of the first sample, counts time_stamp_s
  float sample_time_us = 0;              ///< between samples
  std::vector<std::uint32_t> values;     ///< [channels][samples]
};

/// One `encoding` of the ISMRMRD header, unchanged.
struct Encoding {
  std::array<Index, 3> encoded_matrix{0, 0, 0}, recon_matrix{0, 0, 0};  ///< x, y, z; zeros: missing
  Vec3 encoded_fov_mm{0, 0, 0}, recon_fov_mm{0, 0, 0};
  bool has_recon_space = false;
  bool fov_known = true;   ///< false: pixels of 1 mm are assumed, for arrays that do not give a size
  std::string trajectory;  ///< lower case: "radial", "spiral", "goldenangle", "cartesian", "other", …
  std::string trajectory_identifier;
  std::map<std::string, double> trajectory_parameters;  ///< userParameterDouble and userParameterLong
  std::optional<int> center_step_1, center_step_2;      ///< centres of the kspace_encoding_step limits
  std::optional<int> last_step_1;                       ///< maximum of the limits of kspace_encoding_step_1
  Index multiband = 1;                                  ///< number of slices excited together
  double band_distance_mm = 0;                          ///< between neighbouring ones; 0: missing
};

/// Contents of a raw data file, unchanged. Filled by io, read by mri.
struct Scan {
  std::string xml_header;
  std::string source;  ///< file name, for messages
  std::vector<Encoding> encodings;
  std::vector<Readout> readouts;
  HostVector<std::complex<float>> data;
  HostVector<float> trajectory;
  std::vector<Waveform> waveforms;
  double relative_noise_bandwidth = 1;   ///< relativeReceiverNoiseBandwidth, or a default
  bool noise_bandwidth_assumed = false;  ///< not in the header: 0.793 for Siemens systems, otherwise 1
  double echo_spacing_ms = 0;            ///< between lines of an echo train; 0: unknown
  std::string patient_position;
  bool place_known = true;            ///< false for arrays, whose readouts have no known position
  std::vector<std::string> warnings;  ///< warnings of the reader
  std::vector<std::string> notes;     ///< notes about the reading

  /// Samples of a readout, [active_channels][samples].
  const std::complex<float>* samples(const Readout& readout) const {
    return data.data() + readout.data_offset;
  }
  /// True if the number of samples agrees with the readout's header.
  bool has_samples(const Readout& readout) const {
    const std::size_t values = std::size_t{readout.header.samples} * readout.header.active_channels;
    return readout.data_offset + values <= data.size();
  }
};

}  // namespace larmor
