#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// Trajectory and maps of the first problem, reduced for display.
struct FirstModel {
  std::vector<std::vector<Vec3>> readouts;  ///< part of its first image: kx, ky, kz in cycles/pixel
  Index all_readouts = 0;
  ImageSeries maps;  ///< for each channel of the data, the middle slice; empty without maps
};

/// Thins out a trajectory and copies a slice of its maps (of the first set; null: there are none).
template <typename T>
FirstModel first_model(const PreparedImage& image, const CoilMaps<T>* maps);

}  // namespace larmor
