#pragma once

// Runs one test on every kind of device: typed tests over these cases, with fixtures derived from OnDevice.

#include "random_arrays.hpp"

#include <larmor/core/context.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace larmor::test {

/// Builds with separate scratch are for sanitizers, which take a hundred times as long: smaller tests.
#ifdef LARMOR_SEPARATE_SCRATCH
inline constexpr bool under_sanitizers = true;
#else
inline constexpr bool under_sanitizers = false;
#endif

/// Device and precision of a typed test.
template <typename Scalar, Device::Kind kind>
struct DeviceCase {
  using T = Scalar;
  static Device device() { return {kind, 0}; }
  /// "CpuFloat", "CudaDouble": the second word of the test's name.
  static std::string name() {
    return std::string(kind == Device::Kind::cuda ? "Cuda" : "Cpu") + (sizeof(T) == 4 ? "Float" : "Double");
  }
};
struct CpuFloat : DeviceCase<float, Device::Kind::cpu> {};
struct CpuDouble : DeviceCase<double, Device::Kind::cpu> {};
struct CudaFloat : DeviceCase<float, Device::Kind::cuda> {};
struct CudaDouble : DeviceCase<double, Device::Kind::cuda> {};
/// A build without CUDA has no GPU cases: they would only be skipped, and take half of the compilation time.
#ifdef LARMOR_HAVE_CUDA
using DeviceCases = testing::Types<CpuFloat, CpuDouble, CudaFloat, CudaDouble>;
using FloatCases = testing::Types<CpuFloat, CudaFloat>;
using DoubleCases = testing::Types<CpuDouble, CudaDouble>;
#else
using DeviceCases = testing::Types<CpuFloat, CpuDouble>;
using FloatCases = testing::Types<CpuFloat>;
using DoubleCases = testing::Types<CpuDouble>;
#endif
struct CaseNames {
  template <typename Case>
  static std::string GetName(int) {
    return Case::name();
  }
};

/// To be called from SetUp(): skips the test if the device is missing. With LARMOR_REQUIRE_GPU=1 in the
/// environment the test fails instead, so that a machine with a GPU cannot pass by skipping.
inline void skip_without(const Device& device) {
  try {
    require_available(device);
  } catch (const Error& error) {
    const char* required = std::getenv("LARMOR_REQUIRE_GPU");
    if (required != nullptr && std::string_view(required) == "1")
      FAIL() << "LARMOR_REQUIRE_GPU=1, but " << error.what();
    GTEST_SKIP() << error.what();
  }
}

/// Base of the fixtures of typed tests over the cases.
template <typename Case>
class OnDevice : public testing::Test {
 protected:
  using Complex = std::complex<typename Case::T>;

  void SetUp() override { skip_without(device()); }

  static Device device() { return Case::device(); }
  static Context context(const ContextOptions& options) { return Context(device(), options); }
  /// Two threads; created on first use, because without the device it cannot be created.
  Context& ctx() {
    if (!ctx_) ctx_.emplace(device(), ContextOptions{.threads = 2});
    return *ctx_;
  }
  /// Standard normal values on the device; the same for the same seed on every device.
  static Array<Complex> random(const Shape& shape, unsigned seed) {
    return there(random_complex<typename Case::T>(shape, seed));
  }
  /// The array on the device under test.
  template <typename Element>
  static Array<Element> there(Array<Element> array) {
    return moved_to(device(), std::move(array));
  }
  static MemoryUse memory() { return memory_use(device().kind); }

 private:
  std::optional<Context> ctx_;
};

/// True if two arrays, on any devices, have the same bits.
template <typename T>
bool same_bits(const Array<T>& a, const Array<T>& b) {
  const auto p = fetched(a), q = fetched(b);
  return p.shape() == q.shape() && (p.empty() || std::memcmp(p.data(), q.data(), p.view().bytes()) == 0);
}

}  // namespace larmor::test
