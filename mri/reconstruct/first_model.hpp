#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// What the first problem was solved with, as much of it as there is to look at.
struct FirstModel {
  std::vector<std::vector<Vec3>> readouts;  ///< some of its first image: kx, ky, kz in cycles/pixel
  Index all_readouts = 0;
  ImageSeries maps;  ///< of each channel of the data, the middle slice; no image without maps
};

/// Thins out a trajectory and copies a slice of its maps (of the first set; null: there are none).
template <typename T>
FirstModel first_model(const PreparedImage& image, const CoilMaps<T>* maps);

}  // namespace larmor
