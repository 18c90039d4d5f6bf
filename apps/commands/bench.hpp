#pragma once

#include <larmor/options/words/options.hpp>

namespace larmor::app {

Command bench_command();

}  // namespace larmor::app
