#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

// Not part of the public interface.

namespace larmor::isolated {

/// The parts of a file that a process reads or writes.
enum class Contents { acquisitions, images, image_headers };

/// The names passed to the process, in their order.
inline constexpr std::array contents_words{"acquisitions", "images", "image-headers"};

constexpr const char* to_string(Contents contents) {
  return contents_words[static_cast<std::size_t>(contents)];
}
/// nullopt if the word is not one of these names.
constexpr std::optional<Contents> contents_of(std::string_view word) {
  for (std::size_t i = 0; i < contents_words.size(); ++i)
    if (word == contents_words[i]) return static_cast<Contents>(i);
  return {};
}

}  // namespace larmor::isolated
