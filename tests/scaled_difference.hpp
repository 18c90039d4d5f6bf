#pragma once

#include <larmor/core/array.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

namespace larmor::test {

/// ‖s a − b‖ / ‖b‖ with the best complex factor s, because conventions of scale differ.
template <typename A, typename B>
double scaled_difference(const A& a, const B& b) {
  EXPECT_EQ(a.size(), b.size());
  std::complex<double> inner = 0;
  double norm_a = 0, norm_b = 0;
  for (Index i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::complex<double> x(a[i]), y(b[i]);
    inner += std::conj(x) * y;
    norm_a += std::norm(x);
    norm_b += std::norm(y);
  }
  return std::sqrt(std::max(0.0, 1 - std::norm(inner) / (norm_a * norm_b)));
}

}  // namespace larmor::test
