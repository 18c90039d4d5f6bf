#pragma once

#include <larmor/core/array.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

namespace larmor::test {

/// Complex standard normal values from a seed.
template <typename T = float>
Array<std::complex<T>> random_complex(const Shape& shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> gauss;
  Array<std::complex<T>> array(shape);
  for (auto& value : array) {
    const double re = gauss(generator), im = gauss(generator);
    value = {static_cast<T>(re), static_cast<T>(im)};
  }
  return array;
}

/// Uniform values in [low, high).
inline Array<double> random_real(const Shape& shape, double low, double high, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Array<double> array(shape);
  for (double& value : array) value = uniform(generator);
  return array;
}

/// A copy of the elements in host memory.
template <typename T>
Array<std::remove_const_t<T>> fetched(View<T> source) {
  return copied_to(Device::cpu(), source);
}
template <typename T>
Array<T> fetched(const Array<T>& source) {
  return fetched(source.view());
}

/// ‖a − b‖ / ‖b‖ of two arrays or views of one size on any devices, summed in double. NaN if either contains
/// one.
template <typename A, typename B>
double relative_difference(const A& a, const B& b) {
  const auto found = fetched(a);
  const auto expected = fetched(b);
  EXPECT_EQ(found.size(), expected.size());
  double error = 0, norm = 0;
  for (Index i = 0; i < expected.size(); ++i) {
    const std::complex<double> x(found[i]), y(expected[i]);
    error += std::norm(x - y);
    norm += std::norm(y);
  }
  return norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
}

}  // namespace larmor::test
