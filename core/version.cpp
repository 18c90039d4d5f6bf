#include <larmor/core/version.hpp>

namespace larmor {

const char* version() {
  return LARMOR_VERSION;
}

}  // namespace larmor
