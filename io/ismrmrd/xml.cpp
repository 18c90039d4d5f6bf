#include <larmor/core/format_error.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/files/xml_node.hpp>
#include <larmor/io/ismrmrd/xml.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

namespace larmor {
namespace {

using Node = pugi::xml_node;

// Reads numbers and remembers their position in the header. Text that is not a number gives a warning and
// counts as missing; steps that need it report an error.
class NumberReader {
 public:
  NumberReader(std::vector<std::string>& warnings, std::string place)
      : warnings_(&warnings), place_(std::move(place)) {}
  NumberReader inside(std::string_view element) const {
    return {*warnings_, place_.empty() ? std::string(element) : place_ + "/" + std::string(element)};
  }

  std::optional<double> real(const Node& node, std::string_view name, const char* expected) const {
    const std::string_view text = text_of(node);
    double value = 0;
    if (parse(text, value) && std::isfinite(value)) return value;
    warn(name, text, expected);
    return std::nullopt;
  }
  // Also if it is written as 96.0.
  std::optional<Index> whole(const Node& node, std::string_view name, Index least, Index most) const {
    const std::string_view text = text_of(node);
    double value = 0;
    if (parse(text, value) && value == std::floor(value) && value >= static_cast<double>(least) &&
        value <= static_cast<double>(most))
      return static_cast<Index>(value);
    warn(name, text, fmt::format("a whole number from {} to {}", least, most));
    return std::nullopt;
  }
  void warn(std::string_view name, std::string_view text, const std::string& expected) const {
    warnings_->push_back(fmt::format("header: {} is \"{}\", expected {}: it counts as absent",
                                     inside(name).place_, printable(text), expected));
  }

 private:
  static bool parse(std::string_view text, double& value) {
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }

  std::vector<std::string>* warnings_;
  std::string place_;
};

constexpr const char* axes[3] = {"x", "y", "z"};

// One <encodedSpace> or <reconSpace>.
void read_space(const Node& space, const NumberReader& numbers, const std::string& where,
                std::array<Index, 3>& matrix, Vec3& fov, std::vector<std::string>& warnings) {
  const Node sizes = child(space, "matrixSize");
  const Node lengths = child(space, "fieldOfView_mm");
  if (!sizes) warnings.push_back(where + " has no matrixSize");
  if (!lengths) warnings.push_back(where + " has no fieldOfView_mm");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const NumberReader in_sizes = numbers.inside("matrixSize"), in_lengths = numbers.inside("fieldOfView_mm");
    // Some writers omit the third axis of two-dimensional scans.
    std::optional<Index> size;
    if (const Node node = child(sizes, axes[axis]))
      size = in_sizes.whole(node, axes[axis], 1, 65535);
    else if (sizes && axis < 2)
      in_sizes.warn(axes[axis], "", "a whole number from 1 to 65535");
    if (sizes) matrix[axis] = size.value_or(axis == 2 ? 1 : 0);
    if (const Node node = child(lengths, axes[axis])) {
      fov[axis] = in_lengths.real(node, axes[axis], "a length in millimetres").value_or(0);
      if (fov[axis] < 0) in_lengths.warn(axes[axis], text_of(node), "a length in millimetres");
      fov[axis] = std::max(fov[axis], 0.0);
    }
  }
}

// One number of a limit.
std::optional<int> read_limit(const Node& limits, const char* name, const char* which,
                              const NumberReader& numbers) {
  const Node node = child(child(limits, name), which);
  if (!node) return std::nullopt;
  const auto value = numbers.inside(name).whole(node, which, 0, 65535);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

void read_trajectory_description(const Node& description, const NumberReader& numbers, Encoding& encoding) {
  encoding.trajectory_identifier = text_of(child(description, "identifier"));
  for (Node node = description.first_child(); node; node = node.next_sibling()) {
    const std::string_view kind = local_name(node);
    if (kind != "userParameterDouble" && kind != "userParameterLong") continue;
    const std::string name(text_of(child(node, "name")));
    if (const auto value = numbers.real(child(node, "value"), printable(name), "a number"))
      encoding.trajectory_parameters[name] = *value;
  }
}

// Default for receivers of Siemens systems, whose converters sometimes omit it.
constexpr double siemens_noise_bandwidth = 0.793;

// dZ: the distance between neighbouring bands, or the position of each band.
void read_multiband(const Node& node, const NumberReader& numbers, Encoding& encoding) {
  if (const Node factor = child(node, "multiband_factor"))
    encoding.multiband = numbers.whole(factor, "multiband_factor", 1, 65535).value_or(1);
  std::vector<double> places;
  for (const Node& place : child(node, "spacing").children("dZ"))
    places.push_back(numbers.real(place, "dZ", "a number").value_or(0));
  if (places.size() == 1) encoding.band_distance_mm = places[0];
  if (places.size() > 1) encoding.band_distance_mm = places[1] - places[0];
}

// Multiband as converters pass it on from protocols, whose names end in MultiBandFactor and FOVShiftFactor.
void read_protocol_multiband(const Node& parameters, const NumberReader& numbers, Scan& scan) {
  const auto named = [](const Node& parameter, const char* ending) {
    std::string name = lower_case(text_of(child(parameter, "name")));
    std::erase(name, '_');
    return name.ends_with(ending);
  };
  const auto number = [&](const Node& parameter) {
    return numbers.whole(child(parameter, "value"), printable(text_of(child(parameter, "name"))), 1, 65535)
        .value_or(1);
  };
  Index bands = 1, shift = 1;
  for (Node node = parameters.first_child(); node; node = node.next_sibling()) {
    if (named(node, "multibandfactor")) bands = number(node);
    if (named(node, "fovshiftfactor")) shift = number(node);
  }
  if (bands == 1) return;
  for (Encoding& encoding : scan.encodings)
    if (encoding.multiband == 1) encoding.multiband = bands;
  scan.notes.push_back(fmt::format(
      "user parameters of the header: {} slices at a time{}", bands,
      shift > 1 ? fmt::format(
                      ", displaced by 1/{0} of the field of view: band phases caipi:{0} or caipi:-{0}", shift)
                : ""));
}

Encoding read_encoding(const Node& node, const NumberReader& numbers, const std::string& where,
                       std::vector<std::string>& warnings) {
  Encoding encoding;
  if (const Node space = child(node, "encodedSpace"))
    read_space(space, numbers.inside("encodedSpace"), where + "encodedSpace", encoding.encoded_matrix,
               encoding.encoded_fov_mm, warnings);
  else
    warnings.push_back(where + "there is no encodedSpace");
  if (const Node space = child(node, "reconSpace")) {
    encoding.has_recon_space = true;
    read_space(space, numbers.inside("reconSpace"), where + "reconSpace", encoding.recon_matrix,
               encoding.recon_fov_mm, warnings);
  } else {
    warnings.push_back(where + "there is no reconSpace; encodedSpace is used");
  }
  if (const Node limits = child(node, "encodingLimits")) {
    const NumberReader in_limits = numbers.inside("encodingLimits");
    encoding.center_step_1 = read_limit(limits, "kspace_encoding_step_1", "center", in_limits);
    encoding.center_step_2 = read_limit(limits, "kspace_encoding_step_2", "center", in_limits);
    encoding.last_step_1 = read_limit(limits, "kspace_encoding_step_1", "maximum", in_limits);
  } else {
    warnings.push_back(where + "there are no encodingLimits");
  }
  encoding.trajectory = lower_case(text_of(child(node, "trajectory")));
  if (const Node multiband = child(child(node, "parallelImaging"), "multiband"))
    read_multiband(multiband, numbers.inside("multiband"), encoding);
  if (const Node description = child(node, "trajectoryDescription"))
    read_trajectory_description(description, numbers.inside("trajectoryDescription"), encoding);
  return encoding;
}

int line_of(const std::string& text, std::ptrdiff_t offset) {
  const auto end =
      text.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

void append_number(Node parent, const char* name, const std::string& value) {
  parent.append_child(name).text().set(value.c_str());
}

void append_space(Node encoding, const char* name, const std::array<Index, 3>& matrix, const Vec3& fov) {
  Node space = encoding.append_child(name);
  Node sizes = space.append_child("matrixSize");
  for (std::size_t axis = 0; axis < 3; ++axis)
    append_number(sizes, axes[axis], fmt::format("{}", matrix[axis]));
  Node lengths = space.append_child("fieldOfView_mm");
  for (std::size_t axis = 0; axis < 3; ++axis)
    append_number(lengths, axes[axis], fmt::format("{}", fov[axis]));
}

void append_description(Node encoding, const Encoding& of) {
  if (of.trajectory_parameters.empty()) return;
  Node description = encoding.append_child("trajectoryDescription");
  append_number(description, "identifier", of.trajectory_identifier);
  for (const auto& [name, value] : of.trajectory_parameters) {
    Node parameter = description.append_child("userParameterDouble");
    append_number(parameter, "name", name);
    append_number(parameter, "value", fmt::format("{}", value));
  }
}

void append_multiband(Node encoding, const Encoding& of) {
  if (of.multiband == 1) return;
  Node parallel = encoding.append_child("parallelImaging"),
       factors = parallel.append_child("accelerationFactor");
  append_number(factors, "kspace_encoding_step_1", "1");
  append_number(factors, "kspace_encoding_step_2", "1");
  Node multiband = parallel.append_child("multiband");
  append_number(multiband.append_child("spacing"), "dZ", fmt::format("{}", of.band_distance_mm));
  append_number(multiband, "deltaKz", "1");
  append_number(multiband, "multiband_factor", fmt::format("{}", of.multiband));
  append_number(multiband, "calibration", "other");
  append_number(multiband, "calibration_encoding", "0");
}

// Readers of the standard need all three parts of a limit.
void append_limit(Node limits, const char* name, Index maximum, Index center) {
  Node limit = limits.append_child(name);
  append_number(limit, "minimum", "0");
  append_number(limit, "maximum", fmt::format("{}", maximum));
  append_number(limit, "center", fmt::format("{}", center));
}

}  // namespace

void read_ismrmrd_xml(const std::string& xml, Scan& scan) {
  const std::string& source = scan.source;
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(xml.data(), xml.size());
  if (!result)
    throw input_error("{}: XML header is malformed in line {}: {}", source, line_of(xml, result.offset),
                      printable(lower_case(result.description()), 100));
  const Node root = document.document_element();
  if (local_name(root) != "ismrmrdHeader")
    throw input_error("{}: XML header is <{}>; expected <ismrmrdHeader>", source, printable(root.name()));
  const NumberReader numbers(scan.warnings, "");

  std::size_t count = 0;
  for (Node node = root.first_child(); node; node = node.next_sibling()) {
    if (node.type() != pugi::node_element || local_name(node) != "encoding") continue;
    const std::string place = fmt::format("encoding {}", count++);
    scan.encodings.push_back(read_encoding(node, numbers.inside(place), place + ": ", scan.warnings));
  }
  if (scan.encodings.empty()) throw input_error("{}: XML header has no <encoding>", source);
  if (const Node parameters = child(root, "userParameters"))
    read_protocol_multiband(parameters, numbers.inside("userParameters"), scan);

  const Node system = child(root, "acquisitionSystemInformation");
  const bool siemens =
      lower_case(text_of(child(system, "systemVendor"))).find("siemens") != std::string::npos;
  scan.relative_noise_bandwidth = siemens ? siemens_noise_bandwidth : 1;
  scan.noise_bandwidth_assumed = true;
  if (const Node node = child(system, "relativeReceiverNoiseBandwidth")) {
    const auto bandwidth = numbers.real(node, "relativeReceiverNoiseBandwidth", "a positive number");
    scan.noise_bandwidth_assumed = !(bandwidth && *bandwidth > 0);
    if (!scan.noise_bandwidth_assumed)
      scan.relative_noise_bandwidth = *bandwidth;
    else if (bandwidth)
      scan.warnings.push_back(fmt::format("relativeReceiverNoiseBandwidth is {}; {} is used", *bandwidth,
                                          scan.relative_noise_bandwidth));
  }
  if (const Node node = child(child(root, "sequenceParameters"), "echo_spacing"))
    scan.echo_spacing_ms = std::max(
        0.0, numbers.inside("sequenceParameters").real(node, "echo_spacing", "a time in ms").value_or(0));
  scan.patient_position = text_of(child(child(root, "measurementInformation"), "patientPosition"));
  scan.xml_header = xml;
}

std::string make_ismrmrd_xml(const Scan& scan, int channels, const SequenceTimes& times) {
  pugi::xml_document document;
  Node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  Node root = document.append_child("ismrmrdHeader");
  root.append_attribute("xmlns") = "http://www.ismrm.org/ISMRMRD";
  if (!scan.patient_position.empty())
    append_number(root.append_child("measurementInformation"), "patientPosition", scan.patient_position);
  Node system = root.append_child("acquisitionSystemInformation");
  append_number(system, "relativeReceiverNoiseBandwidth", fmt::format("{}", scan.relative_noise_bandwidth));
  append_number(system, "receiverChannels", fmt::format("{}", channels));
  append_number(root.append_child("experimentalConditions"), "H1resonanceFrequency_Hz", "123200000");
  ReadoutHeader last;  // the largest of every counter
  for (const Readout& readout : scan.readouts) {
    const auto raise = [](std::uint16_t& most, std::uint16_t value) { most = std::max(most, value); };
    raise(last.encode_step_1, readout.header.encode_step_1);
    raise(last.encode_step_2, readout.header.encode_step_2);
    raise(last.average, readout.header.average);
    raise(last.segment, readout.header.segment);
    raise(last.counters.slice, readout.header.counters.slice);
    raise(last.counters.contrast, readout.header.counters.contrast);
    raise(last.counters.phase, readout.header.counters.phase);
    raise(last.counters.repetition, readout.header.counters.repetition);
    raise(last.counters.set, readout.header.counters.set);
  }
  for (const Encoding& encoding : scan.encodings) {
    Node node = root.append_child("encoding");
    append_space(node, "encodedSpace", encoding.encoded_matrix, encoding.encoded_fov_mm);
    if (encoding.has_recon_space)
      append_space(node, "reconSpace", encoding.recon_matrix, encoding.recon_fov_mm);
    Node limits = node.append_child("encodingLimits");
    append_limit(limits, "kspace_encoding_step_1", last.encode_step_1, encoding.center_step_1.value_or(0));
    append_limit(limits, "kspace_encoding_step_2", last.encode_step_2, encoding.center_step_2.value_or(0));
    append_limit(limits, "average", last.average, 0);
    append_limit(limits, "slice", last.counters.slice, 0);
    append_limit(limits, "contrast", last.counters.contrast, 0);
    append_limit(limits, "phase", last.counters.phase, 0);
    append_limit(limits, "repetition", last.counters.repetition, 0);
    append_limit(limits, "set", last.counters.set, 0);
    append_limit(limits, "segment", last.segment, 0);
    append_number(node, "trajectory", encoding.trajectory.empty() ? "other" : encoding.trajectory);
    append_description(node, encoding);
    append_multiband(node, encoding);
  }
  if (!times.tr.empty() || !times.te.empty()) {
    Node parameters = root.append_child("sequenceParameters");
    for (const double time : times.tr) append_number(parameters, "TR", fmt::format("{:.9g}", time));
    for (const double time : times.te) append_number(parameters, "TE", fmt::format("{:.9g}", time));
  }
  std::ostringstream text;
  document.save(text, "  ", pugi::format_indent, pugi::encoding_utf8);
  return text.str();
}

}  // namespace larmor
