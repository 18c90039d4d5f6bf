#pragma once

#include <larmor/core/export.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace LARMOR_API larmor {

/// What kind of failure an Error is; the value is the exit status of the recon command.
enum class ErrorClass {
  internal = 1,    ///< a mistake of ours
  usage = 2,       ///< an option, an argument or a shape that makes no sense
  input = 3,       ///< a file or data that cannot be used
  resource = 4,    ///< not enough memory, a full disk, or a missing device
  cancelled = 130  ///< the user asked to stop
};

/// The one exception type. The message is one line: what was found, what was expected, what to do.
class Error : public std::runtime_error {
 public:
  /// A failure of this kind; the message is one line.
  Error(ErrorClass error_class, const std::string& message)
      : std::runtime_error(message), error_class_(error_class) {}
  /// The kind of failure, and the exit status that goes with it.
  ErrorClass error_class() const { return error_class_; }
  int exit_code() const { return static_cast<int>(error_class_); }

  /// The option that the error is about, as the library names it ("density", "slice"), so that a command, a
  /// server or another language can name it in its own terms; several options, of which each may be the
  /// remedy, are separated by commas. Empty where it is about none.
  const std::string& parameter() const { return parameter_; }
  /// The same error, about a parameter: throw usage_error("…").about("density").
  Error about(std::string parameter) && {
    parameter_ = std::move(parameter);
    return std::move(*this);
  }

 private:
  ErrorClass error_class_;
  std::string parameter_;
};

}  // namespace larmor
