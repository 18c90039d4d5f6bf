#include <larmor/core/version.hpp>
#include <larmor/io/images/measurement.hpp>
#include <larmor/io/images/sidecar.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>

namespace larmor {
namespace {

using Json = nlohmann::ordered_json;

/// Entries of a sidecar, without those that are unknown or not allowed by BIDS.
class Entries {
 public:
  void text(const char* name, const std::string& value) {
    if (!value.empty()) json_[name] = value;
  }
  /// One value is a number, several are a list. All must be above 0 and at most `most`.
  void numbers(const char* name, const std::vector<double>& values, double per_unit,
               double most = std::numeric_limits<double>::max()) {
    const auto allowed = [&](double value) { return value > 0 && value / per_unit <= most; };
    if (values.empty() || !std::all_of(values.begin(), values.end(), allowed)) return;
    Json converted = Json::array();
    for (const double value : values) converted.push_back(value / per_unit);
    json_[name] = converted.size() == 1 ? converted[0] : converted;
  }
  void number(const char* name, const std::optional<double>& value, double per_unit = 1) {
    if (value) numbers(name, {*value}, per_unit);
  }
  const Json& json() const { return json_; }

 private:
  Json json_ = Json::object();
};

bool has_repetitions(const std::vector<const Image*>& volumes) {
  return std::any_of(volumes.begin(), volumes.end(), [&](const Image* image) {
    return image->counters.repetition != volumes[0]->counters.repetition;
  });
}

// The values of the volumes' contrasts: one if they are equal, none if one is unknown.
std::vector<double> of_volumes(const Measurement& facts, const std::vector<double>& values,
                               const std::vector<const Image*>& volumes) {
  std::vector<double> result;
  for (const Image* image : volumes) {
    const auto value = facts.of_contrast(values, image->counters.contrast);
    if (!value) return {};
    result.push_back(*value);
  }
  const bool alike =
      std::all_of(result.begin(), result.end(), [&](double value) { return value == result[0]; });
  if (alike && !result.empty()) result.erase(result.begin() + 1, result.end());
  return result;
}

/// The label of an entity in a file name, such as "rest" of task in sub-01_task-rest_bold.nii.gz.
std::string entity_of(const std::string& path, const std::string& entity) {
  const std::string name = "_" + std::filesystem::path(path).filename().string();
  const std::size_t at = name.find("_" + entity + "-");
  if (at == std::string::npos) return {};
  const auto begin = name.begin() + static_cast<std::ptrdiff_t>(at + entity.size() + 2);
  return {begin, std::find_if_not(begin, name.end(),
                                  [](unsigned char letter) { return std::isalnum(letter) != 0; })};
}

}  // namespace

std::string sidecar_path(const std::string& nifti_path) {
  return nifti_path.substr(0, nifti_path.size() - (nifti_path.ends_with(".gz") ? 7 : 4)) + ".json";
}

Sidecar sidecar_of(const std::string& nifti_path, const ImageSeries& series,
                   const std::vector<const Image*>& volumes, double frame_seconds, bool keep_patient) {
  const Measurement facts = measurement_of(series.ismrmrd_header);
  constexpr double ms_per_s = 1e3, hz_per_mhz = 1e6, full_turn = 360;
  const auto of_all = [&](const std::vector<double>& values) { return of_volumes(facts, values, volumes); };
  // BIDS allows one number here, for all volumes.
  const auto only = [&](const std::vector<double>& values) {
    std::vector<double> found = of_all(values);
    if (found.size() > 1) found.clear();
    return found;
  };
  Sidecar result;
  Entries entries;
  entries.text("TaskName", entity_of(nifti_path, "task"));
  entries.text("Modality", "MR");
  entries.text("Manufacturer", facts.system.vendor);
  entries.text("ManufacturersModelName", facts.system.model);
  entries.number("MagneticFieldStrength", facts.system.field_strength_t);
  entries.number("ImagingFrequency", facts.system.proton_frequency_hz, hz_per_mhz);
  entries.text("PatientPosition", facts.series.patient_position);
  entries.text("PulseSequenceType", facts.sequence.type);
  entries.text("MRAcquisitionType",
               !series.images.empty() && series.images[0].geometry.matrix[2] > 1 ? "3D" : "2D");
  if (!has_repetitions(volumes))
    entries.numbers("RepetitionTime", only(facts.sequence.repetition_ms), ms_per_s);
  else if (frame_seconds > 0)
    entries.number("RepetitionTime", frame_seconds);
  else
    result.warnings.push_back(sidecar_path(nifti_path) +
                              ": no RepetitionTime, which is the time between images of a series, because "
                              "that is not known");
  entries.numbers("RepetitionTimeExcitation", only(facts.sequence.repetition_ms), ms_per_s);
  entries.numbers("EchoTime", of_all(facts.sequence.echo_ms), ms_per_s);
  entries.numbers("InversionTime", only(facts.sequence.inversion_ms), ms_per_s);
  entries.numbers("FlipAngle", of_all(facts.sequence.flip_angle_deg), 1, full_turn);
  entries.number("EchoTrainLength", facts.echo_train_length);
  entries.number("ParallelReductionFactorInPlane", facts.acceleration);
  if (series.kind == ImageKind::phase) entries.text("Units", "rad");
  if (keep_patient) {
    entries.text("InstitutionName", facts.system.institution);
    entries.text("StationName", facts.system.station);
    entries.text("DeviceSerialNumber", facts.system.serial_number);
    entries.text("ProtocolName", facts.series.protocol);
    entries.text("SeriesDescription", facts.series.description);
    entries.text("BodyPart", facts.study.body_part);
  }
  entries.text("ConversionSoftware", "Larmor");
  entries.text("ConversionSoftwareVersion", version());
  result.text = entries.json().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return result;
}

}  // namespace larmor
