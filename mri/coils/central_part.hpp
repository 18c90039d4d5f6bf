#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>

namespace LARMOR_API larmor {

/// Samples around the centre of k-space.
struct CentralPart {
  Array<double> trajectory;            ///< [samples, dims]
  Array<std::complex<float>> samples;  ///< [coils, samples]
};

/// A number for each axis x, y(, z).
using PerAxis = std::array<double, 3>;

/// Selects the samples [coils, samples] of a trajectory [samples, dims] with |k| scale <= limit along each
/// axis; their trajectory becomes k scale.
CentralPart central_part(View<const double> trajectory, View<const std::complex<float>> samples,
                         const PerAxis& scale, const PerAxis& limit, Context& host);

/// The samples that a grid of the image's field of view resolves, in cycles per pixel of that grid. It has
/// `points` pixels along an axis on which the image has `smallest`, but no more than the image.
struct LowResolution {
  Shape grid;
  CentralPart part;
};
LowResolution low_resolution(View<const double> trajectory, View<const std::complex<float>> samples,
                             const Shape& image, Index points, Index smallest, Context& host);

}  // namespace larmor
