#pragma once

#include <larmor/core/parallel.hpp>
#include <larmor/mri/simulation/phantom.hpp>

#include <cmath>
#include <numbers>

// Phantoms as functions of the place, next to the transforms and sums that the product has.
namespace larmor::test {

using Place = std::array<double, 3>;

/// The centre of a pixel in fractions of the field of view.
inline Place pixel_centre(Index pixel, const Shape& shape) {
  Place place{0, 0, 0};
  for (int axis = shape.rank() - 1, column = 0; axis >= 0; --axis, ++column) {
    const Index extent = shape[axis];
    place[static_cast<std::size_t>(column)] =
        static_cast<double>(pixel % extent - extent / 2) / static_cast<double>(extent);
    pixel /= extent;
  }
  return place;
}

/// ρ at a place.
inline std::complex<double> phantom_value(const Phantom& phantom, const Place& place) {
  std::complex<double> sum = 0;
  for (const PhantomPart& part : phantom.parts()) {
    const double cosine = std::cos(part.angle), sine = std::sin(part.angle);
    const double x = place[0] - part.centre[0], y = place[1] - part.centre[1];
    const Place turned{cosine * x + sine * y, -sine * x + cosine * y, place[2] - part.centre[2]};
    double squares = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(phantom.dims()); ++axis)
      squares += std::pow(turned[axis] / part.radii[axis], 2);
    if (part.kind == PhantomPart::Kind::gaussian)
      sum += part.intensity * std::exp(-0.5 * squares);
    else if (squares <= 1)
      sum += part.intensity;
  }
  return sum;
}

/// ρ at the pixel centres of shape, averaged over supersampling^dims points of each pixel. Result shape.
inline Array<std::complex<double>> phantom_image(const Phantom& phantom, const Shape& shape,
                                                 int supersampling, Context& ctx) {
  const Index per_axis = supersampling,
              points = phantom.dims() == 3 ? per_axis * per_axis * per_axis : per_axis * per_axis;
  Array<std::complex<double>> result(shape);
  parallel_for(ctx, result.size(), 64, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      std::complex<double> sum = 0;
      for (Index point = 0; point < points; ++point) {
        Place place = pixel_centre(p, shape);
        Index rest = point;
        for (int axis = 0; axis < phantom.dims(); ++axis, rest /= per_axis)
          place[static_cast<std::size_t>(axis)] +=
              ((static_cast<double>(rest % per_axis) + 0.5) / static_cast<double>(per_axis) - 0.5) /
              static_cast<double>(shape[phantom.dims() - 1 - axis]);
        sum += phantom_value(phantom, place);
      }
      result[p] = sum / static_cast<double>(points);
    }
  });
  return result;
}

/// The sensitivities at the pixel centres, [coils, shape], not normalised.
inline Array<std::complex<double>> phantom_sensitivities(const Phantom& phantom, const Shape& shape,
                                                         Context& ctx) {
  const Index pixels = shape.size();
  Array<std::complex<double>> result(shape.prepend(phantom.coils()));
  parallel_for(ctx, result.size(), 256, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const Place place = pixel_centre(i % pixels, shape);
      std::complex<double> sum = 0;
      for (const SensitivityTerm& term : phantom.sensitivities()[static_cast<std::size_t>(i / pixels)]) {
        const auto& f = term.frequency;
        sum += term.amplitude *
               std::polar(1.0, 2 * std::numbers::pi * (f[0] * place[0] + f[1] * place[1] + f[2] * place[2]));
      }
      result[i] = sum;
    }
  });
  return result;
}

}  // namespace larmor::test
