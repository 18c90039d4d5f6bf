#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command density_command();

}  // namespace larmor::app
