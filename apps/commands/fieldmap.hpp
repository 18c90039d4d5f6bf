#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command fieldmap_command();

}  // namespace larmor::app
