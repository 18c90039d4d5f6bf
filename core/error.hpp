#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace larmor {

/// What kind of failure an Error is; the value is the exit status of the recon command.
enum class ErrorClass {
  internal = 1,    ///< a mistake of ours, or of a caller of the C++ interface
  usage = 2,       ///< wrong command line or option value
  input = 3,       ///< a file or data that cannot be used
  resource = 4,    ///< not enough memory, a full disk, or a missing device
  cancelled = 130  ///< the user asked to stop
};

/// The one exception type. The message is one line: what was found, what was expected, what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorClass error_class, const std::string& message)
      : std::runtime_error(message), error_class_(error_class) {}
  ErrorClass error_class() const { return error_class_; }
  int exit_code() const { return static_cast<int>(error_class_); }

 private:
  ErrorClass error_class_;
};

template <typename... Args>
Error internal_error(fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorClass::internal, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Error usage_error(fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorClass::usage, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Error input_error(fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorClass::input, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
Error resource_error(fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorClass::resource, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace larmor
