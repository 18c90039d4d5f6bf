#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command compare_command();

}  // namespace larmor::app
