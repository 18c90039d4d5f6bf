#pragma once

#include <larmor/core/error.hpp>

#include <string>

namespace larmor::app {

/// The option of the command line with this name of other languages: "--traj-units" of "traj_units".
std::string option_of(const std::string& name);
/// An error in the user's terms. The library names parameters (Error::parameter()); here the option that sets
/// one is added: in front if it was used wrongly, at the end if it is the remedy.
std::string message_of(const Error& error);

}  // namespace larmor::app
