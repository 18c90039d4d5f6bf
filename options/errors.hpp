#pragma once

#include <larmor/core/error.hpp>

#include <string>

namespace larmor::app {

/// What the user reads of an error. The library names parameters (Error::parameter()); here the option that
/// sets one is added: in front where it was used wrongly, at the end where it is the remedy.
std::string message_of(const Error& error);

}  // namespace larmor::app
