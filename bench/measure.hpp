#pragma once

// Shared by benchmarks: the clock, and the comparison with exact values at selected places.

#include <larmor/core/context.hpp>

#include "problems.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace larmor::bench {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Median and smallest milliseconds of a call, including completion on the device.
struct Times {
  double median, least;
};
inline Times time_of(const std::function<void()>& call, int repeats, Context& ctx) {
  call();
  ctx.synchronize();
  std::vector<double> times;
  // Short calls are repeated within one measurement, so that waiting for the device does not dominate.
  double begin = seconds_now();
  call();
  ctx.synchronize();
  const int inner = std::max(1, static_cast<int>(3e-3 / (seconds_now() - begin)));
  for (int i = 0; i < repeats; ++i) {
    begin = seconds_now();
    for (int j = 0; j < inner; ++j) call();
    ctx.synchronize();
    times.push_back(1e3 * (seconds_now() - begin) / inner);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

/// `targets` of n indices, distributed over all of them, or all.
inline Array<std::int64_t> chosen(Index n, Index targets = 1000) {
  const Index count = std::min(targets, n);
  Array<std::int64_t> list({count});
  SplitMix random(11);
  for (Index i = 0; i < count; ++i)
    list[i] = count == n ? i : static_cast<Index>(random.uniform() * static_cast<double>(n));
  return list;
}

/// ‖found(list) − exact‖ / ‖exact‖
template <typename T, typename E>
double difference(const Array<std::int64_t>& list, const Array<std::complex<T>>& found,
                  const Array<std::complex<E>>& exact) {
  double error = 0, norm = 0;
  for (Index i = 0; i < list.size(); ++i) {
    std::complex<T> value;
    copy_bytes(&value, Device::cpu(), found.data() + list[i], found.device(), sizeof(value));
    error += std::norm(std::complex<double>(value) - std::complex<double>(exact[i]));
    norm += std::norm(std::complex<double>(exact[i]));
  }
  return std::sqrt(error / norm);
}

}  // namespace larmor::bench
