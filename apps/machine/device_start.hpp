#pragma once

#include <larmor/core/device.hpp>

#include <chrono>
#include <future>
#include <string_view>

namespace larmor::app {

/// A device that is looked for and made ready on a thread of its own: a CUDA driver takes a third of a second
/// to start, in which files can be read. The thread is not waited for: a program that leaves without the
/// device while the driver starts does so with _Exit(), past the driver's own clearing away.
class DeviceStart {
 public:
  /// `text` is what Device::parse() takes. Throws Error (usage) as it does.
  explicit DeviceStart(std::string_view text);
  /// A GPU gets two queues for work instead of CUDA's eight, unless the environment says how many: more of
  /// them make the start and the end longer, and no reconstruction shorter. To be said before the beginning,
  /// where no other thread may look at the environment.
  void take_few_queues() { few_queues_ = true; }
  /// From here on it gets ready; device() begins what has not been begun.
  void begin();

  /// Whether it may turn out to be a CUDA device.
  bool may_be_gpu() const { return may_be_gpu_; }
  /// The device, once it is ready. Throws Error (resource) when it cannot be used.
  Device device() {
    begin();
    return ready_.get().device;
  }

  /// When it was made ready; the same times where it is not ready yet, or needs nothing.
  struct Times {
    std::chrono::steady_clock::time_point begin, end;
  };
  Times times() const;

 private:
  struct Ready {
    Device device;
    Times times;
  };
  static Ready make_ready(bool automatic, Device device);

  bool automatic_, may_be_gpu_, few_queues_ = false;
  Device asked_;
  std::shared_future<Ready> ready_;
};

}  // namespace larmor::app
