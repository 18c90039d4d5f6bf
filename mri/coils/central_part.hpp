#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>

namespace LARMOR_API larmor {

/// Samples around the centre of k-space.
template <typename T>
struct CentralPart {
  Array<double> trajectory;        ///< [samples, dims]
  Array<std::complex<T>> samples;  ///< [coils, samples]
};

/// A number for each axis x, y(, z).
using PerAxis = std::array<double, 3>;

/// Selects the samples [coils, samples] of a trajectory [samples, dims] with |k| scale <= limit along each
/// axis; their trajectory becomes k scale.
template <typename T>
CentralPart<T> central_part(View<const double> trajectory, View<const std::complex<float>> samples,
                            const PerAxis& scale, const PerAxis& limit, Context& host);

}  // namespace larmor
