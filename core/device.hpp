#pragma once

#include <larmor/core/export.hpp>

#include <string>
#include <string_view>

namespace LARMOR_API larmor {

/// Device of arrays and computations.
struct Device {
  enum class Kind { cpu, cuda };
  Kind kind = Kind::cpu;
  int ordinal = 0;

  /// The host, or the CUDA device with this number.
  static Device cpu() { return {}; }
  static Device cuda(int ordinal = 0) { return {Kind::cuda, ordinal}; }
  /// The first CUDA device if this build can use one, otherwise the CPU.
  static Device automatic();
  /// "auto", "cpu", "cuda" or "cuda:1". Throws Error (usage) for other text.
  static Device parse(std::string_view text);

  /// True for a CUDA device; and the name: "cpu", "cuda:1".
  bool on_gpu() const { return kind == Kind::cuda; }
  std::string to_string() const;
  friend bool operator==(const Device&, const Device&) = default;
};

/// Number of CUDA devices that the driver offers; 0 in a build without the CUDA toolkit.
int cuda_device_count();
/// Throws Error (resource) with the reason if a device cannot be used.
void require_available(const Device& device);

}  // namespace larmor
