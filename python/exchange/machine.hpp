#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/cuda/amid_others.hpp>
#include <larmor/python/exchange/arrays.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace larmor::python {

/// Passes the library's messages to Python: warnings as Python's, notes to the logger "larmor", progress to a
/// callable.
class PythonReporter final : public Reporter {
 public:
  void note(const std::string& message) override;
  void warning(const std::string& message) override;
  void progress(const std::string& stage, Index done, Index total, const std::string& detail) override;

  /// Progress of this thread's work; null: no callback. Accessed with Python's lock held.
  static thread_local const nb::object* callback;
};

/// larmor.Context: resources of operators. One thread at a time holds its lock, others wait. Python code
/// called meanwhile, such as an operator written in Python, runs within OutOfTurn.
class Machine {
 public:
  Machine(const std::string& device, ContextOptions options);

  Device device() const { return device_; }
  int threads();
  const std::atomic<bool>& cancel() const { return cancel_; }

  /// Runs work(ctx) without Python's lock, holding this machine's lock.
  void run(const std::function<void(Context&)>& work);
  /// The same for long work: on a separate thread while the calling one, if it is Python's main thread,
  /// checks for signals. Their exceptions are thrown here once the library has stopped.
  void run_interruptibly(const std::function<void(Context&)>& work);

  /// An input array of the library; on CUDA the device waits for its producer's work. `keep` owns it.
  template <typename T>
  View<const T> input(nb::handle array, const char* name, AnyArray& keep);
  /// An output array of the library.
  template <typename T>
  View<T> output(nb::handle array, const char* name, AnyArray& keep);
  /// A new array on the device as an object with __dlpack__.
  template <typename T>
  nb::object empty(const Shape& shape);

 private:
  // State that does not survive a fork: the threads, and a lock that another thread may have held.
  struct State {
    std::mutex mutex;
    std::condition_variable free;
    bool taken = false;            // some thread holds the lock
    std::deque<Context> contexts;  // one for each piece of work that is running or waiting
    std::vector<Context*> idle;
  };
  class Turn;
  friend class OutOfTurn;

  State& state();
  AnyArray import(nb::handle array, const char* name, bool writable);

  Device device_;
  ContextOptions options_;
  std::shared_ptr<PythonReporter> reporter_;
  std::atomic<bool> cancel_{false};
  std::unique_ptr<State> state_;
  unsigned forks_;
};

/// Releases this thread's hold on the machine while Python code runs, so that code that waits for other
/// threads, for example for another context, does not deadlock. Python's lock is held at both ends.
class OutOfTurn {
 public:
  OutOfTurn();
  ~OutOfTurn();
  OutOfTurn(const OutOfTurn&) = delete;
  OutOfTurn& operator=(const OutOfTurn&) = delete;

 private:
  Machine::Turn* turn_;
};

template <typename T>
View<const T> Machine::input(nb::handle array, const char* name, AnyArray& keep) {
  keep = import(array, name, false);
  return borrowed<T>(keep, name);
}

template <typename T>
nb::object Machine::empty(const Shape& shape) {
  const KeptDevice kept(device_);
  state();  // says where the process forked
  return to_dlpack(Array<T>(shape, device_));
}

template <typename T>
View<T> Machine::output(nb::handle array, const char* name, AnyArray& keep) {
  keep = import(array, name, true);
  const View<const T> view = borrowed<T>(keep, name);
  return View<T>(const_cast<T*>(view.data()), view.shape(), view.device());
}

}  // namespace larmor::python
