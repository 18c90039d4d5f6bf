#pragma once

// A scan of a small smooth object with smooth coil maps: exact samples on spokes.

#include <larmor/operators/coil_maps.hpp>

#include "mri/synthetic_scan.hpp"

namespace larmor::test::small_sense {

using Maps = Array<std::complex<float>>;

constexpr Index n = 12, spokes = 24;

/// A smooth object that fills the centre of the field of view, so that its corners, which spokes do not
/// sample, are empty.
inline Maps object(const Shape& shape = {n, n}) {
  Maps image(shape);
  const Index width = shape[1], height = shape[0];
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x) {
      const double u = static_cast<double>(x - width / 2), v = static_cast<double>(y - height / 2) - 0.5;
      image[y * width + x] = std::complex<float>(std::polar(std::exp(-(u * u + 1.5 * v * v) / 6), 0.3 * u));
    }
  return image;
}

/// Smooth maps with root-sum-of-squares 1.
inline Maps coil_maps(Index coils, const Shape& shape = {n, n}) {
  Maps maps(shape.prepend(coils));
  const Index pixels = shape.size(), width = shape[1];
  for (Index p = 0; p < pixels; ++p) {
    const double x = static_cast<double>(p % width) / static_cast<double>(width),
                 y = static_cast<double>(p / width) / static_cast<double>(shape[0]);
    double sum = 0;
    for (Index c = 0; c < coils; ++c) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(c) / static_cast<double>(coils);
      const auto value =
          std::polar(1.2 + std::cos(angle + 2 * x) + 0.5 * std::sin(angle - 3 * y), angle + x - y);
      maps[c * pixels + p] = std::complex<float>(value);
      sum += std::norm(value);
    }
    for (Index c = 0; c < coils; ++c) maps[c * pixels + p] *= static_cast<float>(1 / std::sqrt(sum));
  }
  return maps;
}

inline Maps coil_images(const Maps& maps, const Maps& image, Context& ctx) {
  return CoilMaps<float>(maps.view()).apply(image, ctx);
}

/// An exact scan of object() with coil_maps().
inline Scan sense_scan(Index coils, Context& ctx) {
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  add_spokes(scan, coil_images(coil_maps(coils), object(), ctx), spokes, ctx);
  return scan;
}

inline double difference(View<const std::complex<float>> a, View<const std::complex<float>> b) {
  return relative_difference(a, b);
}

}  // namespace larmor::test::small_sense
