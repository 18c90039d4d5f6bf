#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/trajectory/gradient_delay.hpp>

#include <complex>

namespace LARMOR_API larmor {

/// A delay found from the data, and how sure it is.
struct DelayEstimate {
  GradientDelay delay;
  GradientDelay deviation;  ///< standard deviations from the scatter of the pairs of spokes
  Index pairs = 0;          ///< pairs of spokes that the estimate rests on
};

// Both estimates take radial data: trajectory [readouts · samples_per_readout, 2 or 3] (cycles/pixel; the
// third column must be the same for all samples) and samples [coils, readouts · samples_per_readout].
// Readouts are straight, pass through the centre of k-space, and are sampled evenly around it; others are
// left out. Throw Error (input) when too few are left.

/// RING (Rosenzweig, Holme & Uecker 2019): two spokes measure the same signals in all coils where they cross.
/// Delays move the crossing points from the centre; the shifts of all crossings are fitted by x, y and xy.
DelayEstimate ring_delays(View<const double> trajectory, View<const std::complex<float>> samples,
                          Index samples_per_readout, Context& ctx);

/// Adaptive calibration (Block & Uecker 2011): spokes of opposite direction measure the same line the other
/// way round, so that delays shift one against the other by twice the delay along it, found by
/// cross-correlation. Pairs count less the farther the delays move their lines apart. Needs spokes of
/// opposite directions, within a few degrees; uniform spokes over half a turn have none.
DelayEstimate adaptive_delays(View<const double> trajectory, View<const std::complex<float>> samples,
                              Index samples_per_readout, Context& ctx);

}  // namespace larmor
