#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <string_view>

namespace LARMOR_API larmor {

/// Where arrays live and work is done.
struct Device {
  enum class Kind { cpu, cuda };
  Kind kind = Kind::cpu;
  int ordinal = 0;

  /// The host, or the CUDA device of this number.
  static Device cpu() { return {}; }
  static Device cuda(int ordinal = 0) { return {Kind::cuda, ordinal}; }
  /// The first CUDA device when there is one that this build can use, else the CPU.
  static Device automatic();
  /// "auto", "cpu", "cuda" or "cuda:1". Throws Error (usage) for other text.
  static Device parse(std::string_view text);

  /// Whether it is a CUDA device, and its name: "cpu", "cuda:1".
  bool on_gpu() const { return kind == Kind::cuda; }
  std::string to_string() const;
  friend bool operator==(const Device&, const Device&) = default;
};

/// Number of CUDA devices that the driver offers; 0 in a build without the CUDA toolkit.
int cuda_device_count();
/// Throws Error (resource) that says why a device cannot be used; returns when it can.
void require_available(const Device& device);

}  // namespace larmor
