#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command tune_command();

}  // namespace larmor::app
