#include <larmor/options/stopwatch.hpp>

namespace larmor::app {

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double Stopwatch::lap() {
  const double elapsed = seconds();
  start_ = std::chrono::steady_clock::now();
  return elapsed;
}

}  // namespace larmor::app
