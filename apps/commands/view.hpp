#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

/// Shows an image in the terminal, or as PNG.
Command view_command();

}  // namespace larmor::app
