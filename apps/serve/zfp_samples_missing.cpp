#include <larmor/apps/serve/zfp_samples.hpp>

namespace larmor::app {

mrd::Decompress zfp_samples() {
  return {};
}

}  // namespace larmor::app
