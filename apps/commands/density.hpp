#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command density_command();

}  // namespace larmor::app
