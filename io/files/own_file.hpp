#pragma once

#include <larmor/core/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

// Files that Larmor writes for itself and reads again, although they may have been changed meanwhile. Every
// function throws std::runtime_error with the reason, as the end of a sentence.

namespace LARMOR_API larmor {

/// The content of a regular file, limited to a number of bytes.
std::string read_whole(const std::string& path, std::size_t most_bytes);
/// Refuses JSON with more than this many levels of objects and lists, because visitors may recurse.
void require_levels(const std::string& json, int most_levels);
/// CRC-32 of bytes that follow others with the checksum `before`; 0 at the start.
std::uint32_t checksum(std::uint32_t before, const void* bytes, std::size_t size);
/// The checksum as 8 digits.
std::string checksum_text(std::uint32_t value);

}  // namespace larmor
