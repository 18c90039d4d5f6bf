#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command convert_command();

}  // namespace larmor::app
