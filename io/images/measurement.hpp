#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

// What image files say about the measurement; no part of the public interface.

namespace larmor {

/// Facts of an ISMRMRD header, as it has them: what it does not say is empty.
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

  std::size_t contrasts = 0;  ///< that the encoding limits count; 0: they do not

  /// The number of a list of the sequence that a contrast has; nullopt where the list has neither one for all
  /// nor one for each of `contrasts`.
  std::optional<double> of_contrast(const std::vector<double>& values, std::size_t contrast) const;
};

/// Empty for a text that is no ISMRMRD header; numbers that are none are left out.
Measurement measurement_of(const std::string& ismrmrd_header);

}  // namespace larmor
