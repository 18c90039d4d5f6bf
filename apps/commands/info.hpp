#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command info_command();

}  // namespace larmor::app
