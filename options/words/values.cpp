#include <larmor/core/format_error.hpp>
#include <larmor/core/parsed_number.hpp>
#include <larmor/options/words/values.hpp>

#include <cmath>
#include <optional>

namespace larmor::app {
namespace {

constexpr Index largest_matrix = 65535;  // the matrix sizes and counters of ISMRMRD are 16 bits wide
constexpr double longest_fov_mm = 1e5;
constexpr double longest_echo_ms = 1000;

}  // namespace

double number_in(std::string_view text, double low, double high) {
  const auto value = parsed_number<double>(text);
  if (!value || !std::isfinite(*value) || *value < low || *value > high)
    throw usage_error("expected a number from {} to {}", low, high);
  return *value;
}

Index count_in(std::string_view text, Index low, Index high) {
  const auto value = parsed_number<Index>(text);
  if (!value || *value < low || *value > high)
    throw usage_error("expected a whole number from {} to {}", low, high);
  return *value;
}

std::vector<Index> matrix_of(const std::string& text) {
  std::vector<Index> sizes;
  for (const std::string& part : split(text, ',')) {
    const auto value = parsed_number<Index>(part);
    if (!value || *value < 1 || *value > largest_matrix || sizes.size() == 3)
      throw usage_error("expected one to three whole numbers from 1 to {}, such as 240 or 64,48,20",
                        largest_matrix);
    sizes.push_back(*value);
  }
  return sizes;
}

std::vector<double> lengths_of(const std::string& text) {
  std::vector<double> lengths;
  for (const std::string& part : split(text, ',')) {
    const auto value = parsed_number<double>(part);
    if (!value || !std::isfinite(*value) || *value <= 0 || *value > longest_fov_mm || lengths.size() == 3)
      throw usage_error(
          "expected one to three lengths in mm, above 0 and up to {}, such as 240 or 256,256,120",
          longest_fov_mm);
    lengths.push_back(*value);
  }
  return lengths;
}

std::vector<double> echo_times_of(const std::string& text) {
  std::vector<double> times;
  for (const std::string& part : split(text, ',')) times.push_back(number_in(part, 0, longest_echo_ms));
  return times;
}

IndexRange index_range_of(const std::string& text) {
  const auto parts = split(text, ':');
  const auto index = [&](const std::string& part) {
    const auto value = parsed_number<Index>(part);
    if (!value || *value < 0 || *value > largest_matrix + 1 || parts.size() > 2)
      throw usage_error("expected an index such as 3 or a range such as 2:5");
    return *value;
  };
  IndexRange range;
  if (parts.size() == 1) {
    range.first = index(text);
    range.last = range.first + 1;
    return range;
  }
  if (!parts[0].empty()) range.first = index(parts[0]);
  if (!parts[1].empty()) range.last = index(parts[1]);
  if (range.first >= range.last) throw usage_error("the range is empty");
  return range;
}

FrameWindow frame_window_of(const std::string& text) {
  const auto parts = split(text, ',');
  FrameWindow window;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = parsed_number<Index>(parts[i]);
    if (!value || *value < 1 || i > 1)
      throw usage_error("expected readouts in a frame and, after a comma, the step, such as 34 or 34,8");
    (i == 0 ? window.readouts : window.step) = *value;
  }
  if (parts.size() == 1) window.step = window.readouts;
  return window;
}

std::vector<Gate> gates_of(const std::string& text) {
  std::vector<Gate> gates;
  for (const std::string& part : split(text, ',')) {
    const auto words = split(part, ':');
    const bool heart = words[0] == "cardiac";
    if (!heart && words[0] != "respiratory") {
      if (gates.empty()) return {};
      throw usage_error("'{}', expected cardiac:N or respiratory:N, such as cardiac:20,respiratory:4", part);
    }
    if (words.size() != 2) throw usage_error("'{}', expected a number of bins, such as {}:8", part, words[0]);
    const auto motion = heart ? Gate::Motion::cardiac : Gate::Motion::respiratory;
    for (const Gate& gate : gates)
      if (gate.motion == motion) throw usage_error("{} is given twice", words[0]);
    gates.push_back({motion, count_in(words[1], 1, 1000)});
  }
  return gates;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace larmor::app
