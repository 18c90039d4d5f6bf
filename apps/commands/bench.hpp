#pragma once

#include <larmor/apps/options/options.hpp>

namespace larmor::app {

Command bench_command();

}  // namespace larmor::app
