#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

namespace LARMOR_API larmor {

/// Delay of the gradients with respect to the receiver, in samples of the readout: sample r was acquired at
/// the position that the nominal trajectory has at r − delay. With dk the step from one sample to the next,
/// k(r) = k_nominal(r) − [x xy 0; xy y 0; 0 0 z] dk: x, y and z are the delays of the physical axes; xy
/// occurs if those are rotated relative to the image's (oblique slices). z is for trajectories whose readouts
/// move along z.
struct GradientDelay {
  double x = 0, y = 0, xy = 0, z = 0;
  bool zero() const { return x == 0 && y == 0 && xy == 0 && z == 0; }
};

/// Moves a readout [samples][dims], samples in the order of acquisition, to its true positions, in place:
/// each axis is evaluated at r − delay by cubic interpolation (exact for spokes), and continued on a straight
/// line beyond the ends.
void apply_gradient_delay(double* readout, Index samples, int dims, const GradientDelay& delay);

}  // namespace larmor
