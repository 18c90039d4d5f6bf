#include <larmor/apps/options/device_start.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/memory_limits.hpp>

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

DeviceStart::DeviceStart(std::string_view text) {
  const bool automatic = text == "auto";
  const Device asked = automatic ? Device::cpu() : Device::parse(text);
  may_be_gpu_ = cuda::built && (asked.on_gpu() || (automatic && !addresses_are_limited()));
  std::packaged_task<Ready()> task([=] { return make_ready(automatic, asked); });
  ready_ = task.get_future().share();
  if (!may_be_gpu_) {
    task();
    return;
  }
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {  // no room for another thread
    std::promise<Ready> here;
    ready_ = here.get_future().share();
    here.set_value(make_ready(automatic, asked));
  }
}

DeviceStart::Times DeviceStart::times() const {
  const bool is_ready = ready_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return is_ready ? ready_.get().times : Times{};
}

}  // namespace larmor::app
