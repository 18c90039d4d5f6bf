#pragma once

#include <larmor/core/device.hpp>

#include <chrono>
#include <future>
#include <string_view>

namespace larmor::app {

/// A device that is found and initialised on a separate thread: a CUDA driver takes a third of a second to
/// start, during which files can be read. The thread is not waited for: a program that does not use the
/// device exits with _Exit() while the driver starts, without the driver's clean-up.
class DeviceStart {
 public:
  /// `text` as Device::parse() takes it. Throws Error (usage) as it does.
  explicit DeviceStart(std::string_view text);
  /// Gives a GPU two work queues instead of CUDA's eight, unless the environment sets a number: more queues
  /// make start and end slower and no reconstruction faster. Call this first, while no other thread reads the
  /// environment.
  void take_few_queues() { few_queues_ = true; }
  /// Starts the initialisation; device() starts it if it has not been started.
  void begin();

  /// The device that `text` names; the CPU for "auto".
  const Device& asked() const { return asked_; }
  /// True if it may turn out to be a CUDA device.
  bool may_be_gpu() const { return may_be_gpu_; }
  /// The device, once it is initialised. Throws Error (resource) if it cannot be used.
  Device device() {
    begin();
    return ready_.get().device;
  }

  /// Start and end of the initialisation; equal times if it has not ended yet, or needs none.
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
