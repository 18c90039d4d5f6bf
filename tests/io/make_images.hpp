#pragma once

#include <larmor/core/data/image.hpp>

#include <complex>

namespace larmor::test {

/// An image of shape {z, y, x} or {coil, z, y, x}: pixel i is (i + 1) exp(0.1 i√-1), plus `offset`.
inline Image make_image(const Shape& shape, float offset = 0) {
  Image image;
  image.pixels = Array<std::complex<float>>(shape);
  for (Index i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = std::polar(static_cast<float>(i + 1) + offset, 0.1F * static_cast<float>(i % 31));
  const int rank = shape.rank();
  image.geometry.matrix = {shape[rank - 1], shape[rank - 2], shape[rank - 3]};
  image.geometry.fov_mm = {200, 150, 5.0 * static_cast<double>(shape[rank - 3])};
  return image;
}

}  // namespace larmor::test
