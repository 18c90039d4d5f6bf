#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

namespace LARMOR_API larmor {

/// How late gradients are with respect to the receiver, in samples of the readout: what was recorded as
/// sample r was taken where the nominal trajectory is at r − delay. With dk the step from one sample to the
/// next,
///   k(r) = k_nominal(r) − [x xy 0; xy y 0; 0 0 z] dk:
/// x, y and z are the delays of the physical axes, xy arises when those are turned against the image's
/// (oblique slices). z is for trajectories whose readouts move along z.
struct GradientDelay {
  double x = 0, y = 0, xy = 0, z = 0;
  bool zero() const { return x == 0 && y == 0 && xy == 0 && z == 0; }
};

/// Moves a readout [samples][dims], samples in the order of acquisition, to where it was sampled, in place:
/// each axis is read off at r − delay by cubic interpolation (exact for spokes), on a straight line beyond
/// the ends.
void apply_gradient_delay(double* readout, Index samples, int dims, const GradientDelay& delay);

}  // namespace larmor
