#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Entry point for MATLAB and Octave, independent of how each passes arrays: one function, whose first
// argument selects the operation. Uses only larmor.h.

namespace larmor_gateway {

/// An argument: a text, or numbers in column-major order.
struct Value {
  enum class Kind { text, real_double, complex_single, complex_double };
  Kind kind = Kind::real_double;
  std::string text;
  std::vector<std::int64_t> dims;
  const void* data = nullptr;

  std::int64_t count() const;
};

/// Interface to MATLAB or Octave: makes results, and reports whether the user wants to stop.
struct Host {
  /// A new array as the next result; the caller writes its numbers through the returned pointer.
  std::function<void*(Value::Kind, const std::vector<std::int64_t>&)> array;
  /// A text as the next result.
  std::function<void(const std::string&)> text;
  std::function<bool()> interrupted;
};

/// Executes the operation named by the first argument. Throws std::runtime_error with one line.
void call(const std::vector<Value>& arguments, Host& host);

/// Deletes all remaining objects.
void release_all();

}  // namespace larmor_gateway
