#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <functional>
#include <vector>

namespace LARMOR_API larmor {

/// Milliseconds of one application to all coils.
struct NufftTimes {
  double forward_ms = 0, adjoint_ms = 0;              ///< medians over the rounds; 0: not measured
  double least_forward_ms = 0, least_adjoint_ms = 0;  ///< smallest times
  double ratio = 1;  ///< median over the rounds of the time relative to that of the first implementation, all
                     ///< measured directions together
};

struct AlternationOptions {
  bool forward = true, adjoint = true;
  int rounds = 15;     ///< maximum number of rounds
  double seconds = 2;  ///< time after which no further round starts, once there are three
};

/// Values for timing, on the context's device: arbitrary, but not denormal.
template <typename T>
Array<std::complex<T>> timing_values(const Shape& shape, const Context& ctx);

/// Times of several implementations of the same transform, measured alternately: other load on the machine
/// affects all of them, and slow changes cancel in the ratios, which they would distort if the
/// implementations were measured one after the other. All must have the same shapes; at least one is
/// required.
template <typename T>
std::vector<NufftTimes> alternating_times(const std::vector<const Nufft<T>*>& nuffts,
                                          const AlternationOptions& options, Context& ctx);

/// Milliseconds per call, the mean over `repeats` calls of one implementation.
using MeasureWay = std::function<double(std::size_t way, bool forward, int repeats)>;
/// The same for any measurement function. Every implementation is called twice before the rounds start, and
/// for half a millisecond at a time within them; every other round takes the implementations in reverse
/// order.
std::vector<NufftTimes> alternating_times(std::size_t ways, const AlternationOptions& options,
                                          const MeasureWay& measure, const Context& ctx);

/// The implementation with the smallest ratio; the first one unless another takes less than `least_gain` of
/// its time.
std::size_t fastest_of(const std::vector<NufftTimes>& times, double least_gain);

}  // namespace larmor
