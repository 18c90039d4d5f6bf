#include <larmor/core/cuda/amid_others.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/device.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <array>
#include <atomic>
#include <charconv>

namespace larmor {

Device Device::parse(std::string_view text) {
  if (text == "auto") return automatic();
  if (text == "cpu") return cpu();
  if (text == "cuda") return cuda(0);
  if (text.substr(0, 5) == "cuda:") {
    int ordinal = -1;
    auto [end, status] = std::from_chars(text.data() + 5, text.data() + text.size(), ordinal);
    if (status == std::errc() && end == text.data() + text.size() && ordinal >= 0) return cuda(ordinal);
  }
  throw usage_error("device '{}' is not known: expected auto, cpu, cuda or cuda:NUMBER", text);
}

std::string Device::to_string() const {
  return on_gpu() ? fmt::format("cuda:{}", ordinal) : "cpu";
}

Device Device::automatic() {
  if constexpr (cuda::built)
    if (!addresses_are_limited() && cuda::device_count() > 0 && cuda::why_not_usable(0).empty())
      return cuda(0);
  return cpu();
}

KeptDevice::KeptDevice(const Device& device) {
  if constexpr (cuda::built)
    if (device.on_gpu()) before_ = cuda::current_device();
}

KeptDevice::~KeptDevice() {
  if constexpr (cuda::built)
    if (before_ >= 0) {
      try {
        cuda::make_current(before_);
      } catch (const Error&) {  // a context made it current before
      }
    }
}

int cuda_device_count() {
  if constexpr (cuda::built) return cuda::device_count();
  return 0;
}

void require_available(const Device& device) {
  if (!device.on_gpu()) return;
  std::string reason = "Larmor was built without the CUDA toolkit";
  if constexpr (cuda::built) {
    // Cached for each device, since it is needed at every allocation.
    static std::array<std::atomic<bool>, 64> usable;
    const auto index = static_cast<std::size_t>(device.ordinal);
    if (index < usable.size() && usable[index]) return;
    reason = cuda::why_not_usable(device.ordinal);
    if (reason.empty()) {
      usable[index] = true;
      return;
    }
  }
  throw resource_error("device {}: {}; use the CPU", device.to_string(), reason).about("device");
}

}  // namespace larmor
