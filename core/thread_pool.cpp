#include <larmor/core/parallel.hpp>
#include <larmor/core/thread_pool.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace larmor {
namespace {

// Index of this thread in the current loop; −1 outside loops.
thread_local int loop_thread = -1;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

constexpr int spins_before_sleep = 2000;

void run_serially(Index n, Index grain, const LoopBody& body) {
  const int thread = loop_thread < 0 ? 0 : loop_thread;
  for (Index begin = 0; begin < n; begin += grain) body(begin, std::min(n, begin + grain), thread);
}

}  // namespace

struct ThreadPool::State {
  // The current loop, written by the calling thread before `generation` changes.
  const LoopBody* body = nullptr;
  Index n = 0, grain = 1;
  std::atomic<Index> next{0};
  std::atomic<int> working{0};

  std::atomic<std::uint64_t> generation{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> workers;

  // Ends the workers that were started, which may be fewer than requested.
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (auto& worker : workers) worker.join();
  }

  void work(int thread) {
    loop_thread = thread;
    for (Index begin; (begin = next.fetch_add(grain, std::memory_order_relaxed)) < n;)
      (*body)(begin, std::min(n, begin + grain), thread);
    loop_thread = -1;
  }

  void wait_for_work(int thread) {
    std::uint64_t seen = 0;
    for (;;) {
      const auto ready = [&] { return generation.load(std::memory_order_acquire) != seen || stop; };
      for (int i = 0; i < spins_before_sleep && !ready(); ++i) pause();
      if (!ready()) {
        std::unique_lock lock(mutex);
        wake.wait(lock, ready);
      }
      if (stop) return;
      seen = generation.load(std::memory_order_acquire);
      work(thread);
      if (working.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::lock_guard lock(mutex);
        done.notify_one();
      }
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  for (int thread = 1; thread < threads; ++thread)
    state_->workers.emplace_back([state = state_.get(), thread] { state->wait_for_work(thread); });
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const {
  return static_cast<int>(state_->workers.size()) + 1;
}

void ThreadPool::run(Index n, Index grain, const LoopBody& body) {
  if (n <= 0) return;
  State& s = *state_;
  if (s.workers.empty() || n <= grain || loop_thread >= 0) return run_serially(n, grain, body);
  s.body = &body;
  s.n = n;
  s.grain = grain;
  s.next.store(0, std::memory_order_relaxed);
  s.working.store(static_cast<int>(s.workers.size()), std::memory_order_relaxed);
  {
    const std::lock_guard lock(s.mutex);
    s.generation.fetch_add(1, std::memory_order_release);
  }
  s.wake.notify_all();
  s.work(0);
  const auto finished = [&] { return s.working.load(std::memory_order_acquire) == 0; };
  for (int i = 0; i < spins_before_sleep && !finished(); ++i) pause();
  if (!finished()) {
    std::unique_lock lock(s.mutex);
    s.done.wait(lock, finished);
  }
}

}  // namespace larmor
