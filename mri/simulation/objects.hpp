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
  tubes,    ///< tubes along z of known T1 and T2
  chest     ///< a chest that breathes, with a heart that beats
};

/// The parts of an object, always the same ones. dims is 2 or 3.
std::vector<PhantomPart> object_parts(SimulatedObject object, int dims);

/// Rates of a chest's motion, both with the small variations of a living chest.
struct ChestMotion {
  double beats_per_minute = 0, breaths_per_minute = 0;
};
/// State of the chest at one moment.
struct ChestState {
  double inspired = 0;      ///< 0 to 1
  double contracted = 0;    ///< of the heart, 0 to 1; 0 at the R wave
  double since_wave_s = 0;  ///< seconds since the R wave
};
ChestState chest_at(const ChestMotion& motion, double seconds);
/// The parts of the chest: the liver moves by 6 % of the field of view along y.
std::vector<PhantomPart> chest_parts(const ChestState& state);

/// Relaxation times of the tubes, in the order of their parts.
std::vector<Tissue> tube_tissues();

}  // namespace larmor
