#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command tune_command();

}  // namespace larmor::app
