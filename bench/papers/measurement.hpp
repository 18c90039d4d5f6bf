#pragma once

#include <larmor/core/context.hpp>

#include <complex>
#include <functional>
#include <string>
#include <vector>

namespace larmor::bench {

/// Size of the problems: takes seconds, a minute or two on two cores, or as published (for a GPU, or for long
/// runs).
enum class Size { quick, normal, full };
std::string to_string(Size size);

/// One problem solved by one method.
struct Measurement {
  std::string problem, method;
  double ms = 0;          ///< median of the repeated part: data in memory to result in memory
  double setup_ms = 0;    ///< time of the set-up, once for the points or the pattern; 0: none
  double error = -1;      ///< relative l2 error against exact sums at some targets; < 0: not measured
  double difference = 0;  ///< relative l2 difference from the reference implementation's result; 0: none
  double claimed_ms = 0;  ///< published for exactly this problem; 0: none
  std::string note{};
};

/// Receives each measurement as soon as it is available.
using Sink = std::function<void(const Measurement&)>;

/// Σ_i values_i exp(sign · 2πi to_j·from_i) in double, by all CPU threads of this context. from [points,
/// dims], to [targets, dims], both in host memory.
Array<std::complex<double>> exact_sums(View<const double> from, View<const std::complex<double>> values,
                                       View<const double> to, double sign, const Context& ctx);
/// Number of targets for which exact sums over this many points take one or two seconds.
Index affordable_targets(Index points, const Context& ctx);
/// Positions of pixels of an image {(z,) (y,) x}, counted from −⌊N/2⌋, columns x, y, z.
Array<double> pixel_positions(View<const std::int64_t> pixels, const Shape& image);
/// Selected rows of [points, dims].
Array<double> rows_of(View<const double> points, View<const std::int64_t> list);

}  // namespace larmor::bench
