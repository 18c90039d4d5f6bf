#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command psf_command();

}  // namespace larmor::app
