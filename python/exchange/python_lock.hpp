#pragma once

#include <nanobind/nanobind.h>

#include <cxxabi.h>
#include <unistd.h>

#include <utility>

namespace larmor::python {

// True while an Unlocked is this thread's innermost; a thread without a Python state does not hold the lock
// either. (PyGILState_Check() is not part of the stable ABI.)
inline thread_local bool released = false;

// Until version 3.14 Python unwinds a thread that waits for its lock when Python is about to end, which C++
// answers with std::terminate. Here such a thread waits for the end of the process instead. The thread that
// ends Python holds the lock: it destroys the operators that a program has not deleted.
template <typename Take>
auto take_lock(const Take& take) {
  const auto wait_for_the_end = [] {
    for (;;) pause();
  };
  const bool has_lock = PyGILState_GetThisThreadState() != nullptr && !released;
  if (!Py_IsInitialized() && !has_lock) wait_for_the_end();
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    wait_for_the_end();
    throw;
  }
}

/// Holds Python's lock during its lifetime.
class Locked {
 public:
  Locked()
      : state_(take_lock([] { return PyGILState_Ensure(); })), outside_(std::exchange(released, false)) {}
  ~Locked() {
    PyGILState_Release(state_);
    released = outside_;
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
  bool outside_;
};

/// Releases Python's lock during its lifetime.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) { released = true; }
  ~Unlocked() {
    take_lock([&] { PyEval_RestoreThread(state_); });
    released = false;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace larmor::python
