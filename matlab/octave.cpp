// larmor_gateway for Octave: an oct-file, because mex files of Octave 7 split complex numbers.
#include "gateway.hpp"

#include <octave/oct.h>
#include <octave/quit.h>

#include <algorithm>
#include <memory>

namespace {

using larmor_gateway::Value;

dim_vector dims_of(const std::vector<std::int64_t>& extents) {
  dim_vector dims;
  dims.resize(static_cast<int>(std::max<std::size_t>(extents.size(), 2)), 1);
  for (std::size_t i = 0; i < extents.size(); ++i) dims(static_cast<int>(i)) = extents[i];
  return dims;
}

/// An argument; keeps its numbers in place.
struct Argument {
  Value value;
  octave_value kept;
  FloatComplexNDArray complex_single;
  ComplexNDArray complex_double;
  NDArray real;
};

void take(const octave_value& given, Argument& argument) {
  Value& value = argument.value;
  if (given.is_string()) {
    value.kind = Value::Kind::text;
    value.text = given.string_value();
    return;
  }
  const dim_vector dims = given.dims();
  for (int i = 0; i < dims.ndims(); ++i) value.dims.push_back(dims(i));
  argument.kept = given;
  if (given.iscomplex() && given.is_single_type()) {
    value.kind = Value::Kind::complex_single;
    argument.complex_single = given.float_complex_array_value();
    value.data = argument.complex_single.data();
  } else if (given.iscomplex()) {
    value.kind = Value::Kind::complex_double;
    argument.complex_double = given.complex_array_value();
    value.data = argument.complex_double.data();
  } else if (given.isnumeric() || given.islogical()) {
    value.kind = Value::Kind::real_double;
    argument.real = given.array_value();
    value.data = argument.real.data();
  } else {
    error("larmor: an argument is neither a text nor an array of numbers");
  }
}

/// A result that is written before it becomes an Octave value.
struct Result {
  Value::Kind kind;
  std::string text;
  NDArray real;
  FloatComplexNDArray complex_single;
  ComplexNDArray complex_double;

  octave_value value() const {
    switch (kind) {
      case Value::Kind::text:
        return text;
      case Value::Kind::real_double:
        return real;
      // Stays complex even if all imaginary parts are zero.
      case Value::Kind::complex_single:
        return octave_value(complex_single);
      default:
        return octave_value(complex_double);
    }
  }
};

}  // namespace

DEFUN_DLD(larmor_gateway_call, args, , "What the classes of +larmor call.") {
  std::vector<Argument> arguments(static_cast<std::size_t>(args.length()));
  std::vector<Value> values;
  for (octave_idx_type i = 0; i < args.length(); ++i) {
    take(args(i), arguments[static_cast<std::size_t>(i)]);
    values.push_back(arguments[static_cast<std::size_t>(i)].value);
  }
  std::vector<std::unique_ptr<Result>> results;
  bool stopped = false;
  larmor_gateway::Host host;
  host.array = [&](Value::Kind kind, const std::vector<std::int64_t>& extents) -> void* {
    auto result = std::make_unique<Result>();
    result->kind = kind;
    const dim_vector dims = dims_of(extents);
    void* data = nullptr;
    switch (kind) {
      case Value::Kind::complex_single:
        result->complex_single = FloatComplexNDArray(dims);
        data = result->complex_single.fortran_vec();
        break;
      case Value::Kind::complex_double:
        result->complex_double = ComplexNDArray(dims);
        data = result->complex_double.fortran_vec();
        break;
      default:
        result->real = NDArray(dims);
        data = result->real.fortran_vec();
    }
    results.push_back(std::move(result));
    return data;
  };
  host.text = [&](const std::string& text) {
    auto result = std::make_unique<Result>();
    result->kind = Value::Kind::text;
    result->text = text;
    results.push_back(std::move(result));
  };
  // Exceptions must not pass through the library: it is told to stop, and the interrupt is thrown again
  // afterwards.
  host.interrupted = [&stopped] {
    try {
      octave_quit();
    } catch (const octave::interrupt_exception&) {
      stopped = true;
    }
    return stopped;
  };
  std::string failure;
  try {
    larmor_gateway::call(values, host);
  } catch (const std::exception& thrown) {
    failure = thrown.what();
  }
  if (stopped) throw octave::interrupt_exception();
  if (!failure.empty()) error_with_id("larmor:error", "%s", failure.c_str());
  octave_value_list list;
  for (const auto& result : results) list.append(result->value());
  return list;
}
