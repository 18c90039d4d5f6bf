#include <larmor/apps/options.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/planner.hpp>

#include <charconv>
#include <cmath>
#include <optional>

namespace larmor::app {
namespace {

template <typename T>
std::optional<T> whole_text(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

constexpr Index largest_matrix = 65535;  // the matrix sizes of ISMRMRD are 16 bits wide
constexpr double longest_fov_mm = 1e5;

}  // namespace

double parse_number(std::string_view option, const std::string& text, double low, double high) {
  const auto value = whole_text<double>(text);
  if (!value || !std::isfinite(*value) || *value < low || *value > high)
    throw usage_error("{} '{}': expected a number from {} to {}", option, text, low, high);
  return *value;
}

Index parse_count(std::string_view option, const std::string& text, Index low, Index high) {
  const auto value = whole_text<Index>(text);
  if (!value || *value < low || *value > high)
    throw usage_error("{} '{}': expected a whole number from {} to {}", option, text, low, high);
  return *value;
}

std::vector<Index> parse_matrix(std::string_view option, const std::string& text) {
  std::vector<Index> sizes;
  for (const std::string& part : split(text, ',')) {
    const auto value = whole_text<Index>(part);
    if (!value || *value < 1 || *value > largest_matrix || sizes.size() == 3)
      throw usage_error("{} '{}': expected one to three whole numbers from 1 to {}, such as 240 or 64,48,20",
                        option, text, largest_matrix);
    sizes.push_back(*value);
  }
  return sizes;
}

std::vector<double> parse_lengths(std::string_view option, const std::string& text) {
  std::vector<double> lengths;
  for (const std::string& part : split(text, ',')) {
    const auto value = whole_text<double>(part);
    if (!value || !std::isfinite(*value) || *value <= 0 || *value > longest_fov_mm || lengths.size() == 3)
      throw usage_error(
          "{} '{}': expected one to three lengths in mm, above 0 and up to {}, such as 240 or 256,256,120",
          option, text, longest_fov_mm);
    lengths.push_back(*value);
  }
  return lengths;
}

CLI::Option* add_parsed(CLI::App& app, const std::string& names, const std::string& type,
                        const std::string& help, Parse parse) {
  return app.add_option_function<std::string>(names, std::move(parse), help)->type_name(type);
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& names, const std::string& type,
                            const std::string& help, Parse parse) {
  const auto each = [parse = std::move(parse)](const std::vector<std::string>& values) {
    for (const std::string& value : values) parse(value);
  };
  return app.add_option_function<std::vector<std::string>>(names, each, help)
      ->type_name(type)
      ->allow_extra_args(false);
}

CLI::Option* add_text(CLI::App& app, const std::string& names, const std::string& type,
                      const std::string& help, std::string& target) {
  return add_parsed(app, names, type, help, [&target, names](const std::string& text) {
    if (text.empty()) throw usage_error("{}: the value is empty", names);
    target = text;
  });
}

CLI::Option* add_number(CLI::App& app, const std::string& name, const std::string& help, double& target,
                        double low, double high) {
  const std::string full = fmt::format("{} (default {})", help, target);
  return add_parsed(app, name, "T", full, [&target, name, low, high](const std::string& text) {
    target = parse_number(name, text, low, high);
  });
}

CLI::Option* add_count(CLI::App& app, const std::string& name, const std::string& help, Index& target,
                       Index low, Index high) {
  const std::string full = target > 0 ? fmt::format("{} (default {})", help, target) : help;
  return add_parsed(app, name, "N", full, [&target, name, low, high](const std::string& text) {
    target = parse_count(name, text, low, high);
  });
}

void add_scan(CLI::App& app, std::string& path) {
  app.add_option("SCAN", path, "ISMRMRD file with raw data")->required()->type_name("");
}

void add_machine_options(CLI::App& app, MachineOptions& options) {
  const std::string group = "Machine";
  add_text(app, "--device", "auto|cpu|cuda[:i]", "where to compute (default auto)", options.device)
      ->group(group);
  add_parsed(app, "--threads", "N", "processor threads (default: all this process may use)",
             [&options](const std::string& text) {
               options.threads = static_cast<int>(parse_count("--threads", text, 1, 1024));
             })
      ->group(group);
  add_parsed(app, "--memory", "BYTES", "memory to count on, such as 4G (default: what is free)",
             [&options](const std::string& text) { options.memory_limit = parse_bytes(text); })
      ->group(group);
  app.add_flag("--deterministic", options.deterministic,
               "the same bits in every run, for any number of threads")
      ->group(group);
  app.add_flag("--quiet", options.quiet, "only warnings and errors on stderr")->group(group);
  app.add_flag("--verbose", options.verbose, "more about decisions, memory and iterations")->group(group);
}

void add_selection_options(CLI::App& app, std::string& group_name, PrepareOptions& options) {
  const std::string group = "Selection";
  add_text(app, "--group", "NAME", "HDF5 group, when the file has several", group_name)->group(group);
  const auto add_range = [&](const std::string& name, const std::string& what, IndexRange& range) {
    add_parsed(app, name, "A:B", "only these " + what + ": A <= index < B, or one index (default: all)",
               [&range, name](const std::string& text) { range = parse_index_range(text, name); })
        ->group(group);
  };
  add_range("--slice", "slices", options.slice);
  add_range("--contrast", "contrasts", options.contrast);
  add_range("--cardiac-phase", "cardiac phases", options.phase);
  add_range("--repetition", "repetitions", options.repetition);
  add_range("--set", "sets", options.set);
  add_parsed(
      app, "--encoding", "I", "which encoding of the header (default: the first with imaging data)",
      [&options](const std::string& text) { options.encoding = parse_count("--encoding", text, 0, 65535); })
      ->group(group);
}

}  // namespace larmor::app
