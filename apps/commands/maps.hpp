#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command maps_command();

}  // namespace larmor::app
