#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command maps_command();

}  // namespace larmor::app
