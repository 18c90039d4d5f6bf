#include <larmor/options/errors.hpp>
#include <larmor/options/named_options.hpp>
#include <larmor/python/exchange/errors.hpp>

#include <nanobind/nanobind.h>

namespace larmor::python {
namespace {

namespace nb = nanobind;

const char* exception_of(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::usage:
      return "UsageError";
    case ErrorClass::input:
      return "InputError";
    case ErrorClass::resource:
      return "ResourceError";
    default:
      return "InternalError";
  }
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    if (error.error_class() == ErrorClass::cancelled) {
      PyErr_SetString(PyExc_KeyboardInterrupt, "interrupted");
      return;
    }
    const nb::object type = nb::module_::import_("larmor.errors").attr(exception_of(error.error_class()));
    PyErr_SetString(type.ptr(), message_of(error).c_str());
  }
}

}  // namespace

void register_errors() {
  nb::register_exception_translator(translate);
}

std::string message_of(const Error& error) {
  return app::in_names(app::message_of(error));
}

}  // namespace larmor::python
