#pragma once

#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/replay.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/python/exchange/machine.hpp>
#include <larmor/python/exchange/python_lock.hpp>

#include <cmath>
#include <complex>
#include <memory>
#include <string>

namespace larmor::python {

/// A Python object with methods that the library calls, from threads that do not hold Python's lock.
class PythonObject {
 public:
  /// Shares the object, whose arrays are on the machine's device; there they belong to the library named by
  /// its attribute array_library. borrowed: the caller keeps it alive, and this is a weak reference.
  PythonObject(nb::object object, std::shared_ptr<Machine> machine, bool borrowed = false)
      : name_(nb::cast<std::string>(object.type().attr("__name__"))),
        library_(value_of<std::string>(object.attr("array_library"), "array_library", "a text")),
        machine_(std::move(machine)),
        borrowed_(borrowed),
        object_(new nb::object(borrowed ? nb::object(nb::weakref(object)) : std::move(object)),
                [](nb::object* kept) {
                  const Locked lock;
                  delete kept;
                }) {}

  /// Name of its class.
  const std::string& name() const { return name_; }
  /// object.method(arguments…); requires Python's lock.
  template <typename... Arguments>
  nb::object call(const char* method, Arguments&&... arguments) const {
    const OutOfTurn others;
    const nb::object object = borrowed_ ? (*object_)() : *object_;
    if (object.is_none()) throw usage_error("the {} that is part of an operator has been deleted", name_);
    return object.attr(method)(std::forward<Arguments>(arguments)...);
  }
  /// A copy of a library array as a method's argument, which the method may keep: the array itself does not
  /// outlive the solver. Requires Python's lock.
  template <typename C>
  nb::object argument(View<const C> view, Context& ctx) const {
    Replay::decline();
    Array<C> own;
    {
      // The method's work goes to a separate stream. Waiting for it may need Python's lock.
      const Unlocked unlocked;
      own = Array<C>(view.shape(), view.device());
      copy<typename C::value_type>(view, own.view(), ctx);
      ctx.synchronize();
    }
    return owned_by_python(std::move(own), library_);
  }
  /// out = the array that a method returned, or out += it. Throws Error (usage) that names the method if its
  /// type or shape differs, or if it is not finite. Python's lock has to be held.
  template <typename C>
  void take(const char* method, const nb::object& result, View<C> out, Context& ctx,
            bool accumulate = false) const {
    const std::string what = fmt::format("the result of {}.{}", name_, method);
    AnyArray keep;
    const View<const C> values = machine_->input<C>(result, what.c_str(), keep);
    if (!(values.shape() == out.shape()))
      throw usage_error("{} has the shape {}, expected {}", what, values.shape().to_string(),
                        out.shape().to_string());
    {
      const Unlocked unlocked;
      if (!std::isfinite(max_magnitude<typename C::value_type>(values, ctx)))
        throw usage_error("{} contains NaN or infinite values", what);
      accumulate ? axpy<typename C::value_type>(1, values, out, ctx)
                 : copy<typename C::value_type>(values, out, ctx);
      ctx.synchronize();  // before the array is released
    }
    Replay::decline();
  }

 private:
  std::string name_, library_;
  std::shared_ptr<Machine> machine_;
  bool borrowed_;
  std::shared_ptr<nb::object> object_;
};

}  // namespace larmor::python
