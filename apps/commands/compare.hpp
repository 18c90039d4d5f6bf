#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command compare_command();

}  // namespace larmor::app
