#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command convert_command();

}  // namespace larmor::app
