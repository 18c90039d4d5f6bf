#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <memory>
#include <type_traits>

namespace LARMOR_API larmor {

/// Borrowed reference to a callable f(begin, end, thread); never allocates.
class LoopBody {
 public:
  /// Borrows a callable, which has to outlive the call.
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, LoopBody>) LoopBody(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Index begin, Index end, int thread) {
          (*static_cast<std::remove_reference_t<F>*>(object))(begin, end, thread);
        }) {}
  /// Calls it.
  void operator()(Index begin, Index end, int thread) const { call_(object_, begin, end, thread); }

 private:
  void* object_;
  void (*call_)(void*, Index, Index, int);
};

/// Calls body(begin, end, thread) for chunks of at most `grain` consecutive indices of [0, n), chunk
/// boundaries at multiples of grain whatever the number of threads. thread is in [0, ctx.threads()). The body
/// must not throw.
inline void parallel_for(const Context& ctx, Index n, Index grain, LoopBody body) {
  ctx.pool().run(n, grain, body);
}
/// As above; without a context body(0, n, 0).
inline void parallel_for(const Context* workers, Index n, Index grain, LoopBody body) {
  if (workers) return parallel_for(*workers, n, grain, body);
  body(0, n, 0);
}

}  // namespace larmor
