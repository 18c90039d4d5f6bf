#pragma once

#include <larmor/core/data/image.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace larmor::dicom {

/// "1.5", with as many digits as always fit into the 16 characters of a decimal string.
std::string decimal(double value);
/// "20240131" for "2024-01-31", "124500.5" for "12:45:00.5+01:00"; empty for other texts.
std::string date_of(std::string_view text);
std::string time_of(std::string_view text);

/// The attributes of a data set, in the form that larmor_dicom_write() takes, by the keywords of PS3.6.
class Attributes {
 public:
  /// One value; backslashes and control characters, which have a special meaning in DICOM, become spaces, and
  /// text longer than `limit` characters is cut.
  void text(const char* keyword, std::string_view value, std::size_t limit = 64);
  /// The same if the value is not empty.
  void known_text(const char* keyword, std::string_view value, std::size_t limit = 64);
  /// Text written unchanged, which may hold several values: "ORIGINAL\PRIMARY".
  void words(const char* keyword, std::string_view value);
  void whole(const char* keyword, Index value);
  /// Decimal strings.
  void numbers(const char* keyword, const std::vector<double>& values);
  void number(const char* keyword, const std::optional<double>& value);
  /// With full precision, for binary numbers.
  void real(const char* keyword, const std::optional<double>& value);
  /// The attribute without a value; also for a sequence.
  void empty(const char* keyword);
  /// A new item of a sequence; later attributes go there until end().
  void begin(const char* sequence);
  void end();
  /// A new item that is a code: value, scheme ("SCT", "DCM"), meaning.
  void code(const char* sequence, const char* value, const char* scheme, const char* meaning);

  const std::string& lines() const { return lines_; }

 private:
  std::string lines_;
};

}  // namespace larmor::dicom
