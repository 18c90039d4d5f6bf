#include <larmor/solvers/problem/options.hpp>

namespace larmor {

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::tolerance:
      return "tolerance";
    case StopReason::distance:
      return "distance";
    case StopReason::residual:
      return "residual";
    case StopReason::null_space:
      return "null space";
    case StopReason::zero_data:
      return "zero data";
    case StopReason::iterations:
      break;
  }
  return "iterations";
}

}  // namespace larmor
