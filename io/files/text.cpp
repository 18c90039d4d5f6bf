#include <larmor/io/files/text.hpp>

#include <algorithm>
#include <cctype>

namespace larmor {
namespace {

// Length of the UTF-8 sequence that starts here; 0 if it is invalid.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  return length;
}

// Characters that reverse the direction of a line or are invisible: U+200B to U+200F, U+202A to U+202E,
// U+2060 to U+2069 and U+FEFF.
bool is_hidden(std::string_view character) {
  if (character.size() != 3) return false;
  const auto byte = [&](int i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])); };
  const unsigned code = (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  const auto within = [&](unsigned first, unsigned last) { return code >= first && code <= last; };
  return within(0x200b, 0x200f) || within(0x202a, 0x202e) || within(0x2060, 0x2069) || code == 0xfeff;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (result.size() + std::max<std::size_t>(length, 1) > limit) return result + "...";
    if (length == 0)
      result += '?';
    else if ((length == 1 && std::iscntrl(static_cast<unsigned char>(text[0]))) ||
             is_hidden(text.substr(0, length)))
      result += ' ';
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // U+0080 to U+009F are control characters too.
    const bool control = length == 1   ? std::iscntrl(first) != 0
                         : length == 2 ? first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0
                                       : is_hidden(text.substr(0, length));
    const std::size_t taken = std::max<std::size_t>(length, 1);
    if (first == '\n' || first == '\t' || first == '\r') {
      result += ' ';
    } else if (length == 0 || control) {
      for (std::size_t i = 0; i < taken; ++i) {
        constexpr const char* digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(text[i]);
        result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      }
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(taken);
  }
  return result;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += separator;
    result += printable(words[i], 400);
  }
  return result;
}

std::string counted(long long number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

}  // namespace larmor
