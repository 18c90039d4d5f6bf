#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command psf_command();

}  // namespace larmor::app
