#pragma once

#include <larmor/mri/scan/noise_estimate.hpp>

#include <vector>

namespace larmor {

/// Noise covariance from the outer two fifths of k-space (by the largest component of k), if they contain
/// only noise. Conditions: the last fifth has as much power as the one before it (to 2 %, in any combination
/// of channels to 5 %, plus statistical fluctuation), and consecutive samples that are close together are
/// uncorrelated, unlike those of an object with edges; that is not required of points in arbitrary order.
/// readouts: the readouts to be used; least_power: power below which noise is rounding error.
std::optional<NoiseEstimate> noise_at_edges(const Scan& scan, const ScanPlan& plan,
                                            const std::vector<std::size_t>& readouts, double least_power);

/// Absolute values of the components of a point [dims] in cycles/pixel.
double largest_component(const double* k, Index dims);

/// Fills the upper triangle of a Hermitian matrix from its lower one.
void complete(Array<std::complex<double>>& covariance);

}  // namespace larmor
