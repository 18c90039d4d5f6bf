#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command run_command();

}  // namespace larmor::app
