#include <larmor/core/parallel.hpp>

#include <omp.h>

namespace larmor {

void parallel_for(const Context& ctx, Index n, Index grain, LoopBody body) {
  if (n <= 0) return;
  const Index chunks = (n + grain - 1) / grain;
  const int threads = static_cast<int>(std::min<Index>(ctx.threads(), chunks));
  if (threads <= 1) {
    for (Index chunk = 0; chunk < chunks; ++chunk) body(chunk * grain, std::min(n, (chunk + 1) * grain), 0);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (Index chunk = 0; chunk < chunks; ++chunk)
    body(chunk * grain, std::min(n, (chunk + 1) * grain), omp_get_thread_num());
}

}  // namespace larmor
