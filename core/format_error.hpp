#pragma once

#include <larmor/core/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace larmor {

/// Errors with a formatted message, for sources only: public headers do not include fmt.
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
