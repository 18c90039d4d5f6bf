#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What MATLAB and Octave call, apart from how each of the two passes arrays: one function by whose first
// argument the others are understood. Built on larmor.h alone.

namespace larmor_gateway {

/// An argument: a text, or numbers in column-major order, the first extent the fastest.
struct Value {
  enum class Kind { text, real_double, complex_single, complex_double };
  Kind kind = Kind::real_double;
  std::string text;
  std::vector<std::int64_t> dims;
  const void* data = nullptr;

  std::int64_t count() const;
};

/// The other side: makes results, and is asked whether the user wants to stop.
struct Host {
  /// A new array as the next result; the numbers are written to where the pointer says.
  std::function<void*(Value::Kind, const std::vector<std::int64_t>&)> array;
  /// A text as the next result.
  std::function<void(const std::string&)> text;
  std::function<bool()> interrupted;
};

/// Does what the first argument, a text, says. Throws std::runtime_error with one line.
void call(const std::vector<Value>& arguments, Host& host);

/// Gives up every object that is left.
void release_all();

}  // namespace larmor_gateway
