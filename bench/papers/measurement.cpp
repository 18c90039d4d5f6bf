#include <larmor/bench/papers/measurement.hpp>
#include <larmor/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor::bench {

std::string to_string(Size size) {
  return size == Size::quick ? "quick" : size == Size::normal ? "normal" : "full";
}

Array<std::complex<double>> exact_sums(View<const double> from, View<const std::complex<double>> values,
                                       View<const double> to, double sign, const Context& ctx) {
  const Index dims = to.shape()[1], targets = to.shape()[0], points = values.size();
  Array<std::complex<double>> sums({targets});
  parallel_for(ctx.host(), targets, 1, [&](Index begin, Index end, int) {
    for (Index t = begin; t < end; ++t) {
      std::complex<double> sum = 0;
      for (Index i = 0; i < points; ++i) {
        // Whole turns are removed axis by axis, before the products cancel digits of each other.
        double turns = 0;
        for (Index a = 0; a < dims; ++a) {
          const double product = to[t * dims + a] * from[i * dims + a];
          turns += product - std::rint(product);
        }
        sum += values[i] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
      }
      sums[t] = sum;
    }
  });
  return sums;
}

Index affordable_targets(Index points, const Context& ctx) {
  const double terms = 2e7 * ctx.threads();
  return std::clamp(static_cast<Index>(terms / static_cast<double>(points)), Index{8}, Index{1024});
}

Array<double> pixel_positions(View<const std::int64_t> pixels, const Shape& image) {
  const int dims = image.rank();
  Array<double> positions({pixels.size(), dims});
  for (Index i = 0; i < pixels.size(); ++i) {
    Index rest = pixels[i];
    for (int a = 0; a < dims; ++a) {
      const Index extent = image[dims - 1 - a];
      positions[i * dims + a] = static_cast<double>(rest % extent - extent / 2);
      rest /= extent;
    }
  }
  return positions;
}

Array<double> rows_of(View<const double> points, View<const std::int64_t> list) {
  const Index dims = points.shape()[1];
  Array<double> rows({list.size(), dims});
  for (Index i = 0; i < list.size(); ++i)
    for (Index a = 0; a < dims; ++a) rows[i * dims + a] = points[list[i] * dims + a];
  return rows;
}

}  // namespace larmor::bench
