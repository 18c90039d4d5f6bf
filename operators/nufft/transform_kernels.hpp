#pragma once

#include <larmor/core/cuda/host_device.hpp>

#include <cstdint>

namespace larmor::nufft {

/// y_i = −x_i; y may be x.
struct Opposite {
  static constexpr const char* name = "opposite points";
  const double* x;
  double* y;
  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const { y[i] = -x[i]; }
};

}  // namespace larmor::nufft
