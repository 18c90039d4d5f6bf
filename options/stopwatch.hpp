#pragma once

#include <chrono>

namespace larmor::app {

/// Seconds since construction or the last lap().
class Stopwatch {
 public:
  double lap();
  double seconds() const;
  std::chrono::steady_clock::time_point started() const { return start_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace larmor::app
