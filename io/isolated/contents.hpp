#pragma once

#include <array>
#include <optional>
#include <string_view>

// No part of the public interface.

namespace larmor::isolated {

/// What of a file a process is to read or to write.
enum class Contents { acquisitions, images, image_places };

/// As the process is told.
struct ContentsWord {
  Contents contents;
  const char* word;
};
inline constexpr std::array contents_words{ContentsWord{Contents::acquisitions, "acquisitions"},
                                           ContentsWord{Contents::images, "images"},
                                           ContentsWord{Contents::image_places, "image-places"}};

constexpr const char* to_string(Contents contents) {
  for (const ContentsWord& row : contents_words)
    if (row.contents == contents) return row.word;
  return "";
}
/// Nothing where the word is none of them.
constexpr std::optional<Contents> contents_of(std::string_view word) {
  for (const ContentsWord& row : contents_words)
    if (word == row.word) return row.contents;
  return {};
}

}  // namespace larmor::isolated
