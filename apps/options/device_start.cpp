#include <larmor/apps/options/device_start.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/memory_limits.hpp>

#include <system_error>
#include <thread>
#include <utility>

namespace larmor::app {
namespace {

Device ready(bool automatic, Device device) {
  if (automatic) device = Device::automatic();
  require_available(device);
  if constexpr (cuda::built)
    if (device.on_gpu()) cuda::stream(device.ordinal);
  return device;
}

}  // namespace

DeviceStart::DeviceStart(std::string_view text) {
  const bool automatic = text == "auto";
  const Device asked = automatic ? Device::cpu() : Device::parse(text);
  may_be_gpu_ = cuda::built && (asked.on_gpu() || (automatic && !addresses_are_limited()));
  std::packaged_task<Device()> task([=] { return ready(automatic, asked); });
  device_ = task.get_future().share();
  if (!may_be_gpu_) {
    task();
    return;
  }
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error&) {  // no room for another thread
    std::promise<Device> here;
    device_ = here.get_future().share();
    here.set_value(ready(automatic, asked));
  }
}

}  // namespace larmor::app
