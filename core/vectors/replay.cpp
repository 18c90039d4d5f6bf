#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/memory.hpp>
#include <larmor/core/vectors/replay.hpp>

#include <utility>

namespace larmor {
namespace {

// With separate scratch memory for every use, addresses are not stable.
#ifdef LARMOR_SEPARATE_SCRATCH
constexpr bool can_record = false;
#else
constexpr bool can_record = true;
#endif

}  // namespace

void Replay::decline() {
  waited_for_device() = true;
}

Replay::Replay(std::function<void()> work, Context& ctx) : work_(std::move(work)), ctx_(ctx) {}

// True if it could be recorded.
bool Replay::record() {
  if constexpr (cuda::built) {
    graph_ = std::make_shared<cuda::Graph>();
    try {
      graph_->begin(ctx_.device().ordinal);
      work_();
      graph_->end();
      return true;
    } catch (const Error& error) {
      graph_.reset();  // ends the recording
      declined_ = true;
      if (error.error_class() != ErrorClass::resource)
        throw;  // otherwise the work is of a kind that CUDA cannot record
    } catch (...) {
      graph_.reset();
      throw;
    }
  }
  return false;
}

void Replay::operator()() {
  ++times_;
  if constexpr (cuda::built && can_record)
    if (ctx_.on_gpu() && times_ > 2 && !declined_ && (graph_ || record())) return graph_->launch();
  bool& waited = waited_for_device();
  const bool outer = std::exchange(waited, false);  // of the enclosing work
  work_();
  if (times_ > 1) declined_ = declined_ || waited;
  waited = waited || outer;
}

}  // namespace larmor
