#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

/// Shows an image in the terminal, or as PNG.
Command view_command();

}  // namespace larmor::app
