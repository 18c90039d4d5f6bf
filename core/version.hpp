#pragma once

#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

/// "0.1.0"
const char* version();

}  // namespace larmor
