#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

// Information about the measurement for image files; not part of the public interface.

namespace larmor {

/// Values of an ISMRMRD header, unchanged; missing ones are empty.
struct Measurement {
  struct Patient {
    std::string name, id, birth_date, sex;
    std::optional<double> weight_kg, height_m;
  } patient;
  struct Study {
    std::string date, time, id, accession, description, referring_physician, body_part, uid;
  } study;
  struct Series {
    std::string date, time, description, protocol, sequence_name, patient_position, frame_of_reference_uid;
  } series;
  struct System {
    std::string vendor, model, institution, station, serial_number;
    std::optional<double> field_strength_t, proton_frequency_hz;
  } system;
  /// One number for all images, or one for each contrast.
  struct Sequence {
    std::vector<double> repetition_ms, echo_ms, inversion_ms, flip_angle_deg;
    std::string type;
  } sequence;
  std::optional<double> echo_train_length;
  std::optional<double> acceleration;  ///< along the first phase encoding

  std::size_t contrasts = 0;  ///< number in the encoding limits; 0: not given

  /// The entry of a contrast in a list of the sequence parameters; nullopt if the list has neither one entry
  /// nor one for each of `contrasts`.
  std::optional<double> of_contrast(const std::vector<double>& values, std::size_t contrast) const;
};

/// Empty for a text that is not an ISMRMRD header; invalid numbers are skipped.
Measurement measurement_of(const std::string& ismrmrd_header);

}  // namespace larmor
