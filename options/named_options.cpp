#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/reconstruct/estimated_field.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/options/errors.hpp>
#include <larmor/options/named_options.hpp>
#include <larmor/options/reconstruction/reconstruct_options.hpp>

#include <algorithm>
#include <cctype>

namespace larmor::app {
namespace {

/// Elements as another type; complex numbers must be real if a real type is required.
template <typename To, typename From>
Array<To> as(const std::string& name, View<const From> values) {
  constexpr bool real_wanted = std::is_floating_point_v<To>, real_given = std::is_floating_point_v<From>;
  // An empty array would count as an option that is not given.
  if (values.size() == 0)
    throw usage_error("{} is an array without elements, of shape {}; leave the option out or give numbers",
                      name, values.shape().to_string());
  Array<To> result(values.shape());
  for (Index i = 0; i < values.size(); ++i) {
    if constexpr (real_wanted && !real_given) {
      if (values[i].imag() != 0) throw usage_error("{}: expected real numbers, got complex ones", name);
      result[i] = static_cast<To>(values[i].real());
    } else if constexpr (real_wanted) {
      result[i] = static_cast<To>(values[i]);
    } else if constexpr (real_given) {
      result[i] = static_cast<typename To::value_type>(values[i]);
    } else {
      result[i] = To(values[i]);
    }
  }
  return result;
}

}  // namespace

NamedOptions::NamedOptions() : command_("reconstruct", "", "") {
  add_iteration_options(command_, options_.reconstruct);
  add_transform_options(command_, options_.reconstruct);
  add_model_options(command_, options_);
  add_scan_options(command_, options_);
  add_quality_options(command_, options_.reconstruct);
  add_physics_options(command_, options_);
  add_split_option(command_, options_.reconstruct);
  add_reconstruction_rules(command_, options_.reconstruct);
}

std::vector<std::string> NamedOptions::names() const {
  std::vector<std::string> result;
  for (const Option& option : command_.options()) {
    if (option.is_word()) continue;
    std::string name = option.spellings().back().substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    result.push_back(std::move(name));
  }
  return result;
}

bool NamedOptions::takes_file(const std::string& name) const {
  const std::string spelling = option_of(name);
  return std::any_of(command_.options().begin(), command_.options().end(), [&](const Option& option) {
    return !option.is_word() && option.spellings().back() == spelling && option.takes_file();
  });
}

Option& NamedOptions::option(const std::string& name) {
  const auto all = names();
  if (std::find(all.begin(), all.end(), name) == all.end()) {
    const std::string meant = did_you_mean(name, all);
    throw usage_error("unknown option '{}'{}", name,
                      meant.empty() ? fmt::format("; expected one of {}", fmt::join(all, ", ")) : meant);
  }
  return command_.option(option_of(name));
}

void NamedOptions::set(const std::string& name, const std::string& value) {
  Option& option = this->option(name);
  if (option.kind == Option::Kind::flag) {
    if (value != "true" && value != "false")
      throw usage_error("{} '{}': expected true or false", name, value);
    if (value == "false") return;
  }
  if (option.given > 0 && option.kind != Option::Kind::values) throw usage_error("{} is given twice", name);
  try {
    option.take(option.kind == Option::Kind::flag ? std::string() : value);
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::usage) throw;
    throw usage_error("{} '{}': {}", name, value, error.what());
  }
  ++option.given;
  given_.push_back(name + "=" + value);
}

template <typename Values>
void NamedOptions::place(const std::string& name, const Values& values) {
  ReconstructOptions& all = options_.reconstruct;
  using Complex = std::complex<double>;
  if (name == "trajectory") {
    all.prepare.trajectory = as<double>(name, values);
  } else if (name == "density") {
    all.prepare.weights = as<double>(name, values);
    all.density = DensityKind::given;
  } else if (name == "gradient_response") {
    all.prepare.gradient_response = as<Complex>(name, values);
  } else if (name == "motion") {
    all.prepare.motion = as<double>(name, values);
  } else if (name == "maps") {
    arrays_.maps = as<std::complex<float>>(name, values);
    all.coils.maps = arrays_.maps.view();
  } else if (name == "field_map") {
    arrays_.field_map = as<float>(name, values);
    all.field.frequency = arrays_.field_map.view();
  } else if (name == "r2star") {
    arrays_.field_decay = as<float>(name, values);
    all.field.decay = arrays_.field_decay.view();
  } else if (name == "field_weight") {
    arrays_.field_weight = as<float>(name, values);
    all.field.weight = arrays_.field_weight.view();
  } else if (name == "band_phases") {
    all.prepare.bands.factors = band_factors(as<double>(name, values));
  } else if (name == "bins") {
    arrays_.bins = as<double>(name, values);
    all.frames.bins = arrays_.bins.view();
  } else if (name == "basis") {
    arrays_.basis = as<Complex>(name, values);
    all.frames.basis = arrays_.basis.view();
  } else if (name == "dictionary") {
    dictionary_ = as<Complex>(name, values);
  } else {
    throw usage_error("{} does not take an array", name);
  }
  ++command_.option(option_of(name)).given;
  given_.push_back(name + "=" + values.shape().to_string());
}

void NamedOptions::set_array(const std::string& name, View<const double> values) {
  place(name, values);
}

void NamedOptions::set_array(const std::string& name, View<const std::complex<float>> values) {
  place(name, values);
}

void NamedOptions::set_array(const std::string& name, View<const std::complex<double>> values) {
  place(name, values);
}

void NamedOptions::finish(const Scan& scan, Context& ctx) {
  command_.check_rules();
  files_ = read_given_arrays(options_);
  // The scan must not be changed; it has no labels.
  if (const std::string& file = options_.trajectory_file; file.ends_with(".seq"))
    options_.reconstruct.prepare.trajectory = read_array<double>(file);
  if (!dictionary_.empty()) {
    files_.basis = subspace_from_dictionary(dictionary_, options_.coefficients).vectors;
    options_.reconstruct.frames.basis = files_.basis.view();
  }
  place_given_arrays(files_, options_, scan, ctx);
  if (options_.calibration_file.empty()) return;
  other_maps_ = maps_of_calibration_file(options_, scan, ctx);
  options_.reconstruct.coils.maps = other_maps_.view();
}

Reconstruction NamedOptions::reconstruct(Scan scan, Context& ctx) {
  take_given_sequence(options_, scan);
  finish(scan, ctx);
  return larmor::reconstruct(std::move(scan), options_.reconstruct, ctx);
}

Array<std::complex<float>> NamedOptions::coil_maps(Scan scan, Context& ctx) {
  for (const char* name : {"maps", "combine"})
    if (command_.option(option_of(name)).given > 0)
      throw usage_error("{} is given, but coil maps are estimated here: leave it out", name);
  take_given_sequence(options_, scan);
  finish(scan, ctx);
  if (!other_maps_.empty()) return std::move(other_maps_);
  return std::move(estimate_maps(std::move(scan), options_.reconstruct, ctx).maps);
}

ImageSeries NamedOptions::field_map(Scan scan, std::vector<double> echo_times_ms, Context& ctx) {
  take_given_sequence(options_, scan);
  finish(scan, ctx);
  if (echo_times_ms.empty()) echo_times_ms = echo_times_of_header(scan.xml_header);
  return estimate_field_map(std::move(scan), options_.reconstruct, echo_times_ms, ctx);
}

std::string in_names(std::string message) {
  for (std::size_t at = 0; (at = message.find("--", at)) != std::string::npos;) {
    const bool starts =
        at + 2 < message.size() && std::isalpha(static_cast<unsigned char>(message[at + 2])) != 0;
    if (!starts) {
      at += 2;
      continue;
    }
    message.erase(at, 2);
    for (; at < message.size() &&
           (std::isalnum(static_cast<unsigned char>(message[at])) != 0 || message[at] == '-');
         ++at)
      if (message[at] == '-') message[at] = '_';
  }
  return message;
}

}  // namespace larmor::app
