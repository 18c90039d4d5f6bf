#pragma once

#include <larmor/core/error.hpp>

#include <string>

namespace larmor::python {

/// Translates an Error of the library into an exception of larmor.errors, by its class; a cancelled one
/// becomes KeyboardInterrupt.
void register_errors();

/// The message of an error, with its parameter's name among the arguments of larmor.reconstruct.
std::string message_of(const Error& error);

}  // namespace larmor::python
