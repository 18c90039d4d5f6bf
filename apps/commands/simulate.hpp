#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command simulate_command();

}  // namespace larmor::app
