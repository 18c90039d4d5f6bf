#pragma once

#include <larmor/core/export.hpp>

#include <span>

namespace LARMOR_API larmor {

/// Most vanishing moments of the filters below.
inline constexpr int most_vanishing_moments = 10;

/// Low-pass filter of Daubechies' orthogonal wavelet with n vanishing moments, 1 <= n <= 10 (n = 1 is
/// Haar's): 2n taps of unit norm and sum √2, of minimal phase (Daubechies 1988). Throws Error (internal) for
/// other n.
std::span<const double> daubechies_filter(int vanishing_moments);

}  // namespace larmor
