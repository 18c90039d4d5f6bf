#pragma once

#include <larmor/core/array.hpp>

#include <complex>

namespace larmor::bench {

/// Textbook Gaussian gridding in one dimension, for comparison: one thread, double precision, points in the
/// given order (Dutt and Rokhlin 1993; parameters of Greengard and Lee 2004, eq. 8 and section 3).
///     modes(n) = Σ_j values_j exp(+2πi points_j n),
/// n from −⌊N/2⌋, on a grid three times as long, 29 cells per point.
Array<std::complex<double>> plain_gaussian_gridding(View<const double> points, View<const double> values,
                                                    Index modes);

}  // namespace larmor::bench
