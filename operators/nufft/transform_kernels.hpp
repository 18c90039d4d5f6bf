#pragma once

#include <larmor/core/cuda/host_device.hpp>

#include <cstdint>

namespace larmor::nufft {

/// x_i = −x_i
struct Opposite {
  static constexpr const char* name = "opposite points";
  double* x;
  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const { x[i] = -x[i]; }
};

}  // namespace larmor::nufft
