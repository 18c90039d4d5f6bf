#include <larmor/core/device.hpp>
#include <larmor/core/error.hpp>

#include <charconv>

#ifdef LARMOR_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

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

int cuda_device_count() {
#ifdef LARMOR_HAVE_CUDA
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
#else
  return 0;
#endif
}

void require_available(const Device& device) {
  if (!device.on_gpu()) return;
#ifdef LARMOR_HAVE_CUDA
  const int count = cuda_device_count();
  if (count == 0)
    throw resource_error(
        "device {}: no CUDA device was found (is the NVIDIA driver loaded?); use --device cpu",
        device.to_string());
  throw resource_error(
      "device {}: {} CUDA device(s) found, but this version computes on the CPU only; use --device cpu",
      device.to_string(), count);
#else
  throw resource_error("device {}: Larmor was built without the CUDA toolkit; use --device cpu",
                       device.to_string());
#endif
}

}  // namespace larmor
