#pragma once

#include <larmor/mri/scan/noise_estimate.hpp>

#include <vector>

namespace larmor {

/// The noise of the outer two fifths of the way to the farthest sample (by the largest component of k), where
/// it is all that is there: the last fifth holds as much power as the one before it (to 2 %, 5 % in any
/// combination of channels, and chance), and samples that follow each other near by (not so points in any
/// order) do not resemble each other, as those of edges in an object do. Of these readouts; least_power:
/// below that it is rounding.
std::optional<NoiseEstimate> noise_at_edges(const Scan& scan, const ScanPlan& plan,
                                            const std::vector<std::size_t>& readouts, double least_power);

/// Absolute value of a point [dims] in cycles/pixel.
double largest_component(const double* k, Index dims);

/// The upper triangle of a Hermitian matrix from its lower one.
void complete(Array<std::complex<double>>& covariance);

}  // namespace larmor
