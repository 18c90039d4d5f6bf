#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/kernel/kernel_series.hpp>

#include <array>
#include <complex>

namespace larmor::nufft {

/// Extent of points along an axis: within `half` of `centre`.
struct Extent {
  double centre = 0, half = 0;
};
using Extents = std::array<Extent, 3>;  ///< x, y, z

/// Extents of coordinates [n, dims] on the context's device; a centre close to zero becomes zero. Throws
/// Error (input), with `what` and the index, for coordinates that are not finite.
Extents extents(View<const double> coordinates, const char* what, Context& ctx);

/// Boxes of points and frequencies, and the grid between them; axes x, y, z.
struct Type3Frame {
  Extents points, frequencies;
  std::array<double, 3> spacing{1, 1, 1};  ///< cell size, in the points' unit
  std::array<Index, 3> cells{1, 1, 1};
};

/// Coordinates of the points on the periodic grid, with the centre in the middle, and their factors exp(−2πi
/// k₀·(x − x₀)); no factors if the frequencies' centre is zero. `given`: an array with the points that may be
/// overwritten with the result, or none.
template <typename T>
struct PlacedPoints {
  Array<double> places;            ///< [n, dims]
  Array<std::complex<T>> factors;  ///< [n] or empty
};
template <typename T>
PlacedPoints<T> place_points_of(const Type3Frame& frame, View<const double> points, Array<double> given,
                                Context& ctx);

/// Frequencies in cycles per grid cell, and their factors: 1/φ̂, times exp(−2πi k·x₀) unless the points'
/// centre is zero. kernel: φ̂, with frequencies in cycles per cell. given: as above.
template <typename T>
struct PlacedFrequencies {
  Array<double> places;            ///< [m, dims]
  Array<T> sizes;                  ///< [m], or empty with
  Array<std::complex<T>> factors;  ///< [m]
};
template <typename T>
PlacedFrequencies<T> place_frequencies_of(const Type3Frame& frame, const ChebyshevSeries& kernel,
                                          View<const double> frequencies, Array<double> given, Context& ctx);

}  // namespace larmor::nufft
