#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/coils/calibration.hpp>

namespace LARMOR_API larmor {

/// How ESPIRiT estimates coil maps.
struct EspiritOptions {
  /// Kernel extent along every axis; 0: 6 in 2D and 4 in 3D, smaller for very many coils.
  Index kernel = 0;
  /// Singular values s of the calibration matrix are weighted with s²/(s² + t²), t this fraction of the
  /// largest. More (up to 0.16) where noise reaches as far: four times the level of the singular values
  /// beyond the larger two fifths. Less, down to the least one, where the region's edge has hardly any
  /// signal or noise, as with smooth objects: a quarter of the root of its part of the energy.
  double threshold = 0.04, least_threshold = 2e-3;
  /// Maps are zero where the eigenvalue is below this: no signal, or none that the kernels explain.
  double crop = 0.65;
  /// Map sets: eigenvectors of the largest eigenvalues of every pixel, for objects that fold over within the
  /// field of view or calibration data that a single set cannot explain.
  Index sets = 1;
};

/// What espirit_maps() takes at its peak beside the calibration region, which has `region` points along each
/// axis, and beside its result.
std::size_t espirit_bytes(Index channels, Index region, const Shape& image_shape,
                          const EspiritOptions& options, const Context& ctx);

// The phase convention is that of coil_maps.hpp.

/// ESPIRiT coil maps (Uecker et al. 2014). Result [coils, image_shape], [sets, coils, image_shape] for more
/// than one set, zero outside of the region's field of view and where a set's eigenvalue is below the crop.
/// Memory beside the result: the Gram matrix of the calibration's windows (rows: coils · points of the
/// kernel, at most about 1600), and for each thread one row of pixels; neither an image of the pixels'
/// matrices nor the calibration matrix is made. The result lies on the context's device; several sets and
/// more than 64 channels are computed, and lie, on the CPU. Throws Error: usage
/// when the kernel does not fit in the calibration region or there are more sets than coils, input when that
/// is all zero.
Array<std::complex<float>> espirit_maps(const CalibrationRegion& calibration, const Shape& image_shape,
                                        const EspiritOptions& options, Context& ctx);

}  // namespace larmor
