#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace larmor {

/// The number in the text, which must be complete, independent of the program's locale; none otherwise.
template <typename T>
std::optional<T> parsed_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace larmor
