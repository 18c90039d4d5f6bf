#pragma once

#include <larmor/core/export.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace LARMOR_API larmor {

/// Class of an Error; the value is the exit status of the recon command.
enum class ErrorClass {
  internal = 1,    ///< a bug in Larmor
  usage = 2,       ///< an invalid option, argument or shape
  input = 3,       ///< a file or data that cannot be used
  resource = 4,    ///< not enough memory, a full disk, or a missing device
  cancelled = 130  ///< the user asked to stop
};

/// The only exception type. The message is one line: what was found, what was expected, what to do.
class Error : public std::runtime_error {
 public:
  /// An error of this class; the message is one line.
  Error(ErrorClass error_class, const std::string& message)
      : std::runtime_error(message), error_class_(error_class) {}
  /// The class, and the corresponding exit status.
  ErrorClass error_class() const { return error_class_; }
  int exit_code() const { return static_cast<int>(error_class_); }

  /// The option that the error is about, under its name in Python and C ("density", "traj_units"), which the
  /// command spells with dashes; several options that may each be the remedy are separated by commas. Empty
  /// if it is not about an option.
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
