#pragma once

#include <larmor/core/error.hpp>

#include <string>
#include <string_view>

namespace larmor::app {

/// The option that sets a parameter of the library (Error::parameter()); empty where none does.
std::string_view option_of(std::string_view parameter);

/// What the user reads of an error, with the option that it is about: in front where the option was used
/// wrongly, else at the end, where it is the remedy.
std::string message_of(const Error& error);

}  // namespace larmor::app
