#pragma once

#include <larmor/core/context.hpp>

#include <functional>
#include <memory>

namespace larmor {

namespace cuda {
class Graph;
}

/// Work that is done again and again on the same arrays. On a CUDA device it is recorded as a graph the
/// third time, so that many small kernels cost one launch; elsewhere it is simply done, as is work that
/// copies from or to the host or waits for the device in its second run. The first one may prepare what it
/// needs. What it uses has to stay where it is.
class Replay {
 public:
  Replay(std::function<void()> work, Context& ctx);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  void operator()();
  /// For what cannot be recorded: the work that this thread is doing is never recorded. Copies from and to
  /// the host and waits for the device say so themselves.
  static void decline();

 private:
  bool record();

  std::function<void()> work_;
  Context& ctx_;
  int times_ = 0;
  bool declined_ = false;
  std::shared_ptr<cuda::Graph> graph_;
};

}  // namespace larmor
