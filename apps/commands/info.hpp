#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command info_command();

}  // namespace larmor::app
