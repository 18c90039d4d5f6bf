#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command simulate_command();

}  // namespace larmor::app
