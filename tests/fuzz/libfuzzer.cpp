#include "fuzz/targets.hpp"

#include <hdf5.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

// The entry points of libFuzzer. LARMOR_FUZZ_TARGET names the target: an environment variable, so that the
// engine's own child processes inherit it.

using larmor::test::fuzz::Target;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const Target& chosen() {
  static const Target* const target = [] {
    const char* name = std::getenv("LARMOR_FUZZ_TARGET");
    const Target* found = name == nullptr ? nullptr : larmor::test::fuzz::find_target(name);
    if (found != nullptr) return found;
    std::fprintf(stderr, "LARMOR_FUZZ_TARGET must be one of:");
    for (const Target& each : larmor::test::fuzz::targets())
      std::fprintf(stderr, " %.*s", static_cast<int>(each.name.size()), each.name.data());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }();
  return *target;
}

// The engine's alarm handler allocates, and hangs if it interrupts an allocation, which endless loops of the
// HDF5 library consist of. This alarm ends the process after it.
class Alarm {
 public:
  Alarm() {
    std::signal(SIGPROF, [](int) { ::_exit(1); });
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGPROF;
    if (::timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) std::abort();
  }
  void in(int seconds) {
    itimerspec when{};
    when.it_value.tv_sec = seconds;
    ::timer_settime(timer_, 0, &when, nullptr);
  }

 private:
  timer_t timer_{};
};
constexpr int longest_seconds = 20;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // Leaks in the HDF5 library due to damaged files are not checked again at exit.
  H5dont_atexit();
  chosen();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Alarm alarm;
  alarm.in(longest_seconds);
  chosen().read({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  if (chosen().mutate == nullptr) return LLVMFuzzerMutate(data, size, most);
  return chosen().mutate(data, size, most, seed, LLVMFuzzerMutate);
}
