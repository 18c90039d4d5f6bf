#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command match_command();

}  // namespace larmor::app
