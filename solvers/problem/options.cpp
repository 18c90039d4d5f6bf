#include <larmor/solvers/problem/options.hpp>

namespace larmor {

const char* to_string(StopReason reason) {
  constexpr const char* names[] = {"iterations", "tolerance", "distance", "residual",
                                   "null space", "zero data", "asked"};
  return names[static_cast<std::size_t>(reason)];
}

}  // namespace larmor
