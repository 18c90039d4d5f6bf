#pragma once

#include <larmor/core/context.hpp>

#include <functional>
#include <memory>

namespace larmor {

namespace cuda {
class Graph;
}

/// Work that is repeated on the same arrays. On a CUDA device it is recorded as a graph the third time, so
/// that many small kernels cost one launch; elsewhere it is simply executed, as is work that copied from or
/// to the host or waited for the device in its second run. The first run may prepare what it needs. All
/// arrays in use must stay at their addresses.
class Replay {
 public:
  Replay(std::function<void()> work, Context& ctx);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  void operator()();
  /// Marks the work of this thread as not recordable. Copies from and to the host and waiting for the device
  /// do so themselves.
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
