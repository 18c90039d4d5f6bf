#include <larmor/io/images/dicom/attributes.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace larmor::dicom {
namespace {

// The digits of a text that contains only digits and separators; otherwise empty.
std::string digits_of(std::string_view text, char separator) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9')
      digits += c;
    else if (c != separator)
      return "";
  }
  return digits;
}

}  // namespace

std::string decimal(double value) {
  return fmt::format("{:.10g}", value);
}

std::string date_of(std::string_view text) {
  const std::string digits = digits_of(text.substr(0, 10), '-');
  return digits.size() == 8 ? digits : "";
}

std::string time_of(std::string_view text) {
  const std::string whole = digits_of(text.substr(0, 8), ':');
  if (whole.size() != 6) return "";
  std::size_t end = 8;
  if (text.size() > 9 && text[8] == '.')
    for (end = 9; end < std::min<std::size_t>(text.size(), 15) && text[end] >= '0' && text[end] <= '9';)
      ++end;
  return end > 9 ? whole + std::string(text.substr(8, end - 8)) : whole;
}

void Attributes::text(const char* keyword, std::string_view value, std::size_t limit) {
  std::string clean;
  std::size_t characters = 0;
  for (const char c : value) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // a character's later bytes
    if (!continues && ++characters > limit) break;
    const bool meant = static_cast<unsigned char>(c) >= 0x20 && c != '\x7f' && c != '\\';
    clean += meant ? c : ' ';
  }
  words(keyword, clean);
}

void Attributes::known_text(const char* keyword, std::string_view value, std::size_t limit) {
  if (!value.empty()) text(keyword, value, limit);
}

void Attributes::words(const char* keyword, std::string_view value) {
  lines_ += fmt::format("{}={}\n", keyword, value);
}

void Attributes::whole(const char* keyword, Index value) {
  lines_ += fmt::format("{}={}\n", keyword, value);
}

void Attributes::numbers(const char* keyword, const std::vector<double>& values) {
  std::string all;
  for (const double value : values) all += (all.empty() ? "" : "\\") + decimal(value);
  words(keyword, all);
}

void Attributes::number(const char* keyword, const std::optional<double>& value) {
  if (value) words(keyword, decimal(*value));
}

void Attributes::real(const char* keyword, const std::optional<double>& value) {
  if (value) words(keyword, fmt::format("{}", *value));
}

void Attributes::empty(const char* keyword) {
  lines_ += fmt::format("{}\n", keyword);
}

void Attributes::begin(const char* sequence) {
  lines_ += fmt::format("{}{{\n", sequence);
}

void Attributes::end() {
  lines_ += "}\n";
}

void Attributes::code(const char* sequence, const char* value, const char* scheme, const char* meaning) {
  begin(sequence);
  words("CodeValue", value);
  words("CodingSchemeDesignator", scheme);
  words("CodeMeaning", meaning);
  end();
}

}  // namespace larmor::dicom
