#pragma once

namespace larmor {

/// "0.1.0"
const char* version();

}  // namespace larmor
