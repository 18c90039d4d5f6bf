#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <string_view>
#include <vector>

// Text from files for use in messages; not part of the public interface.

namespace LARMOR_API larmor {

/// The text in one line for a message: control characters become spaces, bytes that are not UTF-8 become '?',
/// and text longer than `limit` bytes ends in "...".
std::string printable(std::string_view text, std::size_t limit = 60);
/// The complete text in one line that a terminal shows unchanged: line breaks and tabs become spaces, other
/// control characters and bytes that are not UTF-8 are written as \x1b.
std::string escaped(std::string_view text);
/// "a, b, c", each made printable.
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");
/// "1 channel", "2 channels"
std::string counted(long long number, const std::string& noun);
/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);
std::string lower_case(std::string_view text);

}  // namespace larmor
