#include <larmor/solvers/regularizers/parameters.hpp>

#include <larmor/core/format_error.hpp>
#include <larmor/core/parsed_number.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace larmor {
namespace {

using Kind = RegularizerParameter::Kind;

std::optional<double> as_number(std::string_view text) {
  const auto value = parsed_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// "a, b and c" of the names that a visitor gives.
template <typename Items, typename Name>
std::string listed(const Items& items, const Name& name) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ", ") + std::string(name(item));
  return list;
}

const RegularizerParameter* find_parameter(const RegularizerRow& row, std::string_view key) {
  for (const auto& parameter : row.parameters)
    if (key == parameter.key) return &parameter;
  return nullptr;
}

void check_value(const RegularizerRow& row, const RegularizerParameter& parameter, const std::string& value) {
  const auto wrong = [&](const std::string& expected) {
    return usage_error("regularizer {}: {}={}, expected {}", row.name, parameter.key, value, expected);
  };
  if (parameter.kind == Kind::text) {
    if (value.empty()) throw wrong("a value");
    return;
  }
  if (parameter.kind == Kind::flag) {
    if (value != "0" && value != "1") throw wrong("0 or 1");
    return;
  }
  if (parameter.kind == Kind::choice) {
    if (std::find(parameter.choices.begin(), parameter.choices.end(), value) == parameter.choices.end())
      throw wrong("one of " + listed(parameter.choices, [](const char* choice) { return choice; }));
    return;
  }
  const auto number = as_number(value);
  const bool whole = parameter.kind == Kind::integer;
  const std::string what = whole ? "a whole number" : "a number";
  if (!number || (whole && *number != std::floor(*number))) throw wrong(what);
  if (*number < parameter.least || *number > parameter.most)
    throw wrong(parameter.most < 1e30
                    ? fmt::format("{} from {:g} to {:g}", what, parameter.least, parameter.most)
                    : fmt::format("{} of at least {:g}", what, parameter.least));
}

void add_parameter(RegularizerSpec& spec, const RegularizerRow& row, std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos)
    throw usage_error("regularizer {}: '{}', expected key=value", row.name, part);
  const std::string key(part.substr(0, equals)), value(part.substr(equals + 1));
  const RegularizerParameter* parameter = find_parameter(row, key);
  if (!parameter)
    throw usage_error("regularizer {}: unknown key '{}'; {}", row.name, key,
                      row.parameters.empty()
                          ? "it has no keys"
                          : "there are: " + listed(row.parameters, [](const auto& p) { return p.key; }));
  for (const auto& [given, ignored] : spec.parameters)
    if (given == key) throw usage_error("regularizer {}: {} is given twice", row.name, key);
  check_value(row, *parameter, value);
  spec.parameters.emplace_back(key, value);
}

void set_lambda(RegularizerSpec& spec, const RegularizerRow& row, std::string_view part) {
  if (part == "auto") {
    spec.automatic = true;
    return;
  }
  const auto number = as_number(part);
  if (!number)
    throw usage_error("regularizer {}: lambda '{}', expected a number or auto, as in {}:0.01", row.name, part,
                      row.name);
  if (*number < 0)
    throw usage_error("regularizer {}: lambda {} is negative; it must be 0 or more", row.name, part);
  spec.lambda = *number;
}

}  // namespace

bool is_quadratic(const RegularizerSpec& spec) {
  return find_regularizer(spec.name).kind == SolvableTerms::quadratic;
}

SolvableTerms terms_of(std::span<const RegularizerSpec> specs) {
  SolvableTerms found = SolvableTerms::quadratic;
  for (const RegularizerSpec& spec : specs) {
    const RegularizerRow& row = find_regularizer(spec.name);
    if (row.kind == SolvableTerms::quadratic || (row.takes_lambda && !spec.automatic && spec.lambda == 0))
      continue;
    found = found == SolvableTerms::quadratic ? row.kind : SolvableTerms::any;
  }
  return found;
}

const RegularizerRow& find_regularizer(std::string_view name) {
  for (const auto& row : regularizer_table())
    if (name == row.name) return row;
  throw usage_error("unknown regularizer '{}'; expected one of {}", name,
                    listed(regularizer_table(), [](const auto& row) { return row.name; }));
}

RegularizerSpec parse_regularizer(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  const RegularizerRow& row = find_regularizer(parts[0]);
  RegularizerSpec spec;
  spec.name = row.name;
  std::size_t next = 1;
  if (row.takes_lambda) {
    if (parts.size() < 2 || parts[1].find('=') != std::string_view::npos)
      throw usage_error("regularizer {} needs a lambda: write {}:LAMBDA, with a number or auto", row.name,
                        row.name);
    set_lambda(spec, row, parts[next++]);
  } else {
    spec.lambda = 1;
    // A number is accepted as well.
    if (parts.size() > 1 && parts[1].find('=') == std::string_view::npos) {
      set_lambda(spec, row, parts[next++]);
      spec.automatic = false;
      spec.lambda = 1;
    }
  }
  for (; next < parts.size(); ++next) add_parameter(spec, row, parts[next]);
  return spec;
}

std::string to_string(const RegularizerSpec& spec) {
  std::string text = spec.name;
  if (find_regularizer(spec.name).takes_lambda)
    text += spec.automatic ? ":auto" : fmt::format(":{}", spec.lambda);
  for (const auto& [key, value] : spec.parameters) text += fmt::format(":{}={}", key, value);
  return text;
}

std::string parameter_text(const RegularizerSpec& spec, std::string_view key) {
  for (const auto& [given, value] : spec.parameters)
    if (given == key) return value;
  const RegularizerParameter* parameter = find_parameter(find_regularizer(spec.name), key);
  if (!parameter) throw internal_error("regularizer {} has no parameter {}", spec.name, key);
  return parameter->fallback;
}
double parameter_number(const RegularizerSpec& spec, std::string_view key) {
  return as_number(parameter_text(spec, key)).value();
}
int parameter_integer(const RegularizerSpec& spec, std::string_view key) {
  return static_cast<int>(parameter_number(spec, key));
}
bool parameter_flag(const RegularizerSpec& spec, std::string_view key) {
  return parameter_text(spec, key) == "1";
}

double as_printed(double lambda) {
  return parsed_number<double>(fmt::format("{:.3g}", lambda)).value();
}

const RegularizerRow& checked_row(const RegularizerSpec& spec, const ImageLayout& image) {
  const RegularizerRow& row = find_regularizer(spec.name);
  if (row.needs_frames && image.frames() < 2)
    throw usage_error(
        "regularizer {} needs a series of frames, but one image of {} is reconstructed; define frames by a "
        "window or bins, or use a spatial term",
        row.name, image.shape.to_string())
        .about("window,bins,regularizer");
  return row;
}

std::string regularizer_help() {
  std::string text;
  for (const auto& row : regularizer_table()) {
    text += fmt::format("{}{}  {}{}\n", row.name, row.takes_lambda ? ":LAMBDA" : "", row.help,
                        row.needs_frames ? " (series only)" : "");
    for (const auto& p : row.parameters)
      text += fmt::format("    {}={}  {}\n", p.key, *p.fallback ? p.fallback : "…", p.help);
  }
  return text;
}

}  // namespace larmor
