#pragma once

#include <larmor/core/context.hpp>

#include <functional>
#include <memory>

namespace larmor {

namespace cuda {
class Graph;
}

/// Work that is done again and again on the same arrays. On a CUDA device it is recorded as a graph the
/// second time, so that many small kernels cost one launch; elsewhere it is simply done. The work must not
/// wait for the device, and what it uses has to stay where it is.
class Replay {
 public:
  Replay(std::function<void()> work, Context& ctx);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  void operator()();
  /// For what cannot be recorded, such as work that waits for the device: the work that this thread is doing
  /// is never recorded.
  static void decline();

 private:
  std::function<void()> work_;
  Context& ctx_;
  int times_ = 0;
  bool declined_ = false;
  std::shared_ptr<cuda::Graph> graph_;
};

}  // namespace larmor
