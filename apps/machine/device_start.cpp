#include <larmor/apps/machine/device_start.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/memory_limits.hpp>

#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

namespace larmor::app {
DeviceStart::Ready DeviceStart::make_ready(bool automatic, Device device) {
  const auto begin = std::chrono::steady_clock::now();
  if (automatic) device = Device::automatic();
  require_available(device);
  if constexpr (cuda::built)
    if (device.on_gpu()) cuda::stream(device.ordinal);
  return {device, {begin, device.on_gpu() ? std::chrono::steady_clock::now() : begin}};
}

DeviceStart::DeviceStart(std::string_view text)
    : automatic_(text == "auto"), asked_(automatic_ ? Device::cpu() : Device::parse(text)) {
  may_be_gpu_ = cuda::built && (asked_.on_gpu() || (automatic_ && !addresses_are_limited()));
}

void DeviceStart::begin() {
  if (ready_.valid()) return;
  std::packaged_task<Ready()> task(
      [automatic = automatic_, asked = asked_] { return make_ready(automatic, asked); });
  ready_ = task.get_future().share();
  if (!may_be_gpu_) return task();
  if (few_queues_) ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0);
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {  // no thread could be started
    std::promise<Ready> here;
    ready_ = here.get_future().share();
    here.set_value(make_ready(automatic_, asked_));
  }
}

DeviceStart::Times DeviceStart::times() const {
  const bool is_ready =
      ready_.valid() && ready_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return is_ready ? ready_.get().times : Times{};
}

}  // namespace larmor::app
