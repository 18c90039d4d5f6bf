#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command serve_command();

}  // namespace larmor::app
