#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command stream_command();

}  // namespace larmor::app
