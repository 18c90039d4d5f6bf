#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/vectors/replay.hpp>

#include <utility>

namespace larmor {
namespace {

// With scratch memory of its own for every use, addresses are not stable.
#ifdef LARMOR_SEPARATE_SCRATCH
constexpr bool can_record = false;
#else
constexpr bool can_record = true;
#endif

thread_local bool declined = false;

}  // namespace

void Replay::decline() {
  declined = true;
}

Replay::Replay(std::function<void()> work, Context& ctx) : work_(std::move(work)), ctx_(ctx) {}

void Replay::operator()() {
  ++times_;
  if constexpr (cuda::built && can_record)
    if (ctx_.on_gpu() && times_ > 1 && !declined_) {
      if (!graph_) {
        graph_ = std::make_shared<cuda::Graph>();
        graph_->begin(ctx_.device().ordinal);
        work_();
        graph_->end();
      }
      return graph_->launch();
    }
  const bool outer = std::exchange(declined, false);  // of the work that this is a part of
  work_();
  declined_ = declined_ || declined;
  declined = declined || outer;
}

}  // namespace larmor
