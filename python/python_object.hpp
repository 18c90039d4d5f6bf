#pragma once

#include <larmor/core/format_error.hpp>
#include <larmor/python/arrays.hpp>

#include <complex>
#include <memory>
#include <string>

namespace larmor::python {

/// An object of Python's with methods that the library calls, from threads that do not hold Python's lock.
class PythonObject {
 public:
  /// Shares the object.
  explicit PythonObject(nb::object object)
      : name_(nb::cast<std::string>(object.type().attr("__name__"))),
        object_(new nb::object(std::move(object)), [](nb::object* kept) {
          const nb::gil_scoped_acquire gil;
          delete kept;
        }) {}

  /// Of its class.
  const std::string& name() const { return name_; }
  /// object.method(arguments…); Python's lock has to be held.
  template <typename... Arguments>
  nb::object call(const char* method, Arguments&&... arguments) const {
    return object_->attr(method)(std::forward<Arguments>(arguments)...);
  }
  /// out = the array that a method returned, or out += it. Throws Error (usage) that names the method when it
  /// is none of that type and shape. Python's lock has to be held.
  template <typename C>
  void take(const char* method, const nb::object& result, View<C> out, bool accumulate = false) const {
    AnyArray array;
    if (!nb::try_cast(result, array))
      throw usage_error("{}.{} returned no array; expected {} {}", name_, method, dtype_name(nb::dtype<C>()),
                        out.shape().to_string());
    const std::string what = fmt::format("what {}.{} returned", name_, method);
    const View<const C> values = borrowed_host<C>(array, what.c_str());
    if (!(values.shape() == out.shape()))
      throw usage_error("{} has the shape {}, expected {}", what, values.shape().to_string(),
                        out.shape().to_string());
    for (Index i = 0; i < out.size(); ++i) out[i] = accumulate ? out[i] + values[i] : values[i];
  }

 private:
  std::string name_;
  std::shared_ptr<nb::object> object_;
};

}  // namespace larmor::python
