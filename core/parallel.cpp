#include <larmor/core/parallel.hpp>
#include <larmor/core/thread_pool.hpp>

namespace larmor {

void parallel_for(const Context& ctx, Index n, Index grain, LoopBody body) {
  ctx.pool().run(n, grain, body);
}

}  // namespace larmor
