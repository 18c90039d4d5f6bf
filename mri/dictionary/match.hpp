#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/dictionary/signal_model.hpp>
#include <larmor/mri/model/subspace.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Parameters of each voxel, from the entry with the most similar time course.
struct MatchedMaps {
  std::vector<Array<float>> parameters;       ///< in the dictionary's order, units of its values
  Array<std::complex<float>> proton_density;  ///< the factor that scales the entry to the voxel
};

/// images: [frames, (z,) y, x], or with a basis its coefficients [coefficients, (z,) y, x] as a
/// reconstruction with this basis returns them. A voxel α gets the entry d, in the basis Φᴴd, with the
/// largest |dᴴα| / ‖d‖: the least-squares fit of d times a complex factor (Ma et al. 2013; in a subspace
/// McGivney et al. 2014). Voxels of zeros are zero in all maps. Throws Error (input) for numbers of images
/// that do not fit, and for a dictionary that is zero or has no part in the subspace.
MatchedMaps match_dictionary(View<const std::complex<float>> images, const SignalDictionary& dictionary,
                             const SubspaceBasis* basis, Context& ctx);

}  // namespace larmor
