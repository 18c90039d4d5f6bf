#pragma once

#include <larmor/core/array.hpp>

#include <complex>

namespace larmor::bench {

/// Gaussian gridding in one dimension as it is usually written down, for comparison: one thread, double, the
/// points as they come (Dutt and Rokhlin 1993; parameters of Greengard and Lee 2004, eq. 8 and section 3).
/// modes(n) = Σ_j values_j exp(+2πi points_j n), n from −⌊N/2⌋, on a grid three times as long, 29 cells a
/// point.
Array<std::complex<double>> plain_gaussian_gridding(View<const double> points, View<const double> values,
                                                    Index modes);

}  // namespace larmor::bench
