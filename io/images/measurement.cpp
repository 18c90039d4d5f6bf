#include <larmor/core/parsed_number.hpp>
#include <larmor/io/files/xml_node.hpp>
#include <larmor/io/images/measurement.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace larmor {
namespace {

std::optional<double> number_in(const pugi::xml_node& node) {
  const auto value = parsed_number<double>(text_of(node));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::vector<double> numbers_in(const pugi::xml_node& parent, std::string_view name) {
  std::vector<double> values;
  for (pugi::xml_node node = parent.first_child(); node; node = node.next_sibling())
    if (local_name(node) == name)
      if (const auto value = number_in(node)) values.push_back(*value);
  return values;
}

// One of the positions of ISMRMRD's schema; other text, which may name the patient, is not passed on.
std::string position(std::string text) {
  constexpr std::string_view known[] = {"HFS", "HFP", "HFDR", "HFDL", "FFS", "FFP", "FFDR", "FFDL"};
  return std::find(std::begin(known), std::end(known), text) != std::end(known) ? std::move(text) : "";
}

}  // namespace

std::optional<double> Measurement::of_contrast(const std::vector<double>& values,
                                               std::size_t contrast) const {
  if (values.size() == 1) return values.front();
  const bool each = contrasts == 0 || contrasts == values.size();
  return each && contrast < values.size() ? std::optional(values[contrast]) : std::nullopt;
}

Measurement measurement_of(const std::string& ismrmrd_header) {
  pugi::xml_document document;
  if (!document.load_buffer(ismrmrd_header.data(), ismrmrd_header.size())) return {};
  const pugi::xml_node root = document.document_element();
  const auto text = [](const pugi::xml_node& parent, std::string_view name) {
    return std::string(text_of(child(parent, name)));
  };
  const auto number = [](const pugi::xml_node& parent, std::string_view name) {
    return number_in(child(parent, name));
  };
  Measurement facts;
  const pugi::xml_node subject = child(root, "subjectInformation");
  facts.patient = {text(subject, "patientName"),        text(subject, "patientID"),
                   text(subject, "patientBirthdate"),   text(subject, "patientGender"),
                   number(subject, "patientWeight_kg"), number(subject, "patientHeight_m")};
  const pugi::xml_node study = child(root, "studyInformation");
  facts.study = {text(study, "studyDate"),        text(study, "studyTime"),
                 text(study, "studyID"),          text(study, "accessionNumber"),
                 text(study, "studyDescription"), text(study, "referringPhysicianName"),
                 text(study, "bodyPartExamined"), text(study, "studyInstanceUID")};
  const pugi::xml_node series = child(root, "measurementInformation");
  facts.series = {text(series, "seriesDate"),         text(series, "seriesTime"),
                  text(series, "seriesDescription"),  text(series, "protocolName"),
                  text(series, "sequenceName"),       position(text(series, "patientPosition")),
                  text(series, "frameOfReferenceUID")};
  const pugi::xml_node system = child(root, "acquisitionSystemInformation");
  facts.system = {text(system, "systemVendor"),
                  text(system, "systemModel"),
                  text(system, "institutionName"),
                  text(system, "stationName"),
                  text(system, "deviceSerialNumber"),
                  number(system, "systemFieldStrength_T"),
                  number(child(root, "experimentalConditions"), "H1resonanceFrequency_Hz")};
  // Some headers give only the frequency. Gyromagnetic ratio of the proton: CODATA 2018.
  constexpr double proton_hz_per_tesla = 42.577478518e6;
  if (!facts.system.field_strength_t && facts.system.proton_frequency_hz)
    facts.system.field_strength_t = *facts.system.proton_frequency_hz / proton_hz_per_tesla;
  const pugi::xml_node sequence = child(root, "sequenceParameters");
  facts.sequence = {numbers_in(sequence, "TR"), numbers_in(sequence, "TE"), numbers_in(sequence, "TI"),
                    numbers_in(sequence, "flipAngle_deg"), text(sequence, "sequence_type")};
  // Siemens headers give an inversion time even without an inversion: longer than a repetition. A list of
  // several times belongs to images taken at these times after one inversion.
  std::vector<double>& inversions = facts.sequence.inversion_ms;
  const std::vector<double>& repetitions = facts.sequence.repetition_ms;
  if (inversions.size() == 1 && !repetitions.empty() && inversions[0] >= repetitions[0]) inversions.clear();
  const pugi::xml_node encoding = child(root, "encoding");
  const auto last = number(child(child(encoding, "encodingLimits"), "contrast"), "maximum");
  if (last && *last >= 0 && *last < 65536) facts.contrasts = static_cast<std::size_t>(*last) + 1;
  facts.echo_train_length = number(encoding, "echoTrainLength");
  facts.acceleration =
      number(child(child(encoding, "parallelImaging"), "accelerationFactor"), "kspace_encoding_step_1");
  return facts;
}

}  // namespace larmor
