#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

#include <memory>

namespace LARMOR_API larmor {

class LoopBody;

/// The threads of a context. Workers wait a few microseconds for the next loop, then sleep, so that a machine
/// shared with other programs is not kept busy.
class ThreadPool {
 public:
  /// Starts `threads` − 1 workers; the calling thread is the other one.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Including the calling one.
  int threads() const;
  /// Runs body over chunks of [0, n) on all threads, including the calling one; returns when all are done. A
  /// nested loop runs on the thread that starts it.
  void run(Index n, Index grain, const LoopBody& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace larmor
