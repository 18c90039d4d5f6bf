#include <larmor/core/version.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/images/sidecar.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace larmor {

std::string sidecar_path(const std::string& nifti_path) {
  return nifti_path.substr(0, nifti_path.size() - (nifti_path.ends_with(".gz") ? 7 : 4)) + ".json";
}

std::string sidecar_of(const ImageSeries& series, bool keep_patient) {
  const Measurement facts = measurement_of(series.ismrmrd_header);
  nlohmann::ordered_json json;
  const auto text = [&json](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  // BIDS writes one value as a number and several as a list.
  const auto numbers = [&json](const char* name, const std::vector<double>& values, double unit) {
    if (values.empty()) return;
    std::vector<double> converted;
    for (const double value : values) converted.push_back(value * unit);
    if (converted.size() == 1)
      json[name] = converted[0];
    else
      json[name] = converted;
  };
  const auto number = [&](const char* name, const std::optional<double>& value, double unit) {
    if (value) numbers(name, {*value}, unit);
  };
  const auto first = [](std::vector<double> values) {
    values.resize(std::min<std::size_t>(values.size(), 1));
    return values;
  };
  text("Modality", "MR");
  text("Manufacturer", facts.system.vendor);
  text("ManufacturersModelName", facts.system.model);
  number("MagneticFieldStrength", facts.system.field_strength_t, 1);
  number("ImagingFrequency", facts.system.proton_frequency_hz, 1e-6);
  text("PatientPosition", facts.series.patient_position);
  text("PulseSequenceType", facts.sequence.type);
  text("MRAcquisitionType", !series.images.empty() && series.images[0].geometry.matrix[2] > 1 ? "3D" : "2D");
  // One number, whatever a scan varies; between volumes of a series it is another time, which no header says.
  numbers("RepetitionTime", first(facts.sequence.repetition_ms), 1e-3);
  numbers("RepetitionTimeExcitation", first(facts.sequence.repetition_ms), 1e-3);
  numbers("EchoTime", facts.sequence.echo_ms, 1e-3);
  numbers("InversionTime", first(facts.sequence.inversion_ms), 1e-3);
  numbers("FlipAngle", first(facts.sequence.flip_angle_deg), 1);
  number("EchoTrainLength", facts.echo_train_length, 1);
  number("ParallelReductionFactorInPlane", facts.acceleration, 1);
  if (series.kind == ImageKind::phase) text("Units", "rad");
  if (keep_patient) {
    text("InstitutionName", facts.system.institution);
    text("StationName", facts.system.station);
    text("DeviceSerialNumber", facts.system.serial_number);
    text("ProtocolName", facts.series.protocol);
    text("SeriesDescription", facts.series.description);
    text("BodyPart", facts.study.body_part);
  }
  text("ConversionSoftware", "Larmor");
  text("ConversionSoftwareVersion", version());
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace larmor
