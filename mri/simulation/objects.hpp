#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/dictionary/signal_model.hpp>
#include <larmor/mri/simulation/phantom.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// The scanned object. Largest values are about 1.
enum class SimulatedObject {
  head,     ///< head_phantom(): flat regions with edges
  texture,  ///< the same with many small details in the brain
  smooth,   ///< Gaussians: no edges at all
  phases,   ///< a head whose fat has the opposite phase, with air and tissues of other phases
  tubes     ///< tubes along z of known T1 and T2
};

/// The parts of an object, always the same ones. dims is 2 or 3.
std::vector<PhantomPart> object_parts(SimulatedObject object, int dims);

/// Relaxation times of the tubes, in the order of their parts.
std::vector<Tissue> tube_tissues();

}  // namespace larmor
