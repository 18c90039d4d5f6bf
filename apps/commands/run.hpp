#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command run_command();

}  // namespace larmor::app
