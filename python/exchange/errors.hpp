#pragma once

#include <larmor/core/error.hpp>

#include <string>

namespace larmor::python {

/// Makes an Error of the library an exception of larmor.errors, by its class; one that was cancelled is a
/// KeyboardInterrupt.
void register_errors();

/// The message of an error, with the name that its parameter has among the arguments of larmor.reconstruct.
std::string message_of(const Error& error);

}  // namespace larmor::python
