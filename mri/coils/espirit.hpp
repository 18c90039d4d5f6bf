#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/coils/calibration.hpp>

namespace LARMOR_API larmor {

/// Parameters of ESPIRiT.
struct EspiritOptions {
  /// Kernel extent along every axis; 0: 6 in 2D and 4 in 3D, smaller for very many coils.
  Index kernel = 0;
  /// Singular values s of the calibration matrix are weighted with s²/(s² + t²), t this fraction of the
  /// largest. Higher (up to 0.16) if noise requires it: four times the level of the singular values beyond
  /// the larger two fifths. Lower, down to `least`, if the region's edge has hardly any signal or noise, as
  /// for smooth objects: a quarter of the root of its fraction of the energy.
  double threshold = 0.04, least_threshold = 2e-3;
  /// Maps are zero where the eigenvalue is below this: no signal, or none that the kernels explain.
  double crop = 0.65;
  /// Map sets: eigenvectors of the largest eigenvalues of every pixel, for objects that alias within the
  /// field of view or calibration data that a single set cannot explain.
  Index sets = 1;
};

/// Peak memory of espirit_maps() besides the calibration region, which has `region` points along each axis,
/// and the result.
std::size_t espirit_bytes(Index channels, Index region, const Shape& image_shape,
                          const EspiritOptions& options, const Context& ctx);

// The phase convention is that of coil_maps.hpp.

/// ESPIRiT coil maps (Uecker et al. 2014). Result [coils, image_shape], [sets, coils, image_shape] for more
/// than one set, zero outside the region's field of view and where a set's eigenvalue is below the crop. More
/// than 64 channels are combined into their 64 principal components before, and the maps expanded to the
/// channels. Memory besides the result: the Gram matrix of the calibration's windows (rows: coils · points of
/// the kernel, at most about 1600), and for each thread one row of pixels; neither an image of the pixels'
/// matrices nor the calibration matrix is formed. The result is on the context's device; several sets are
/// computed on the CPU, and the result is there. Throws Error: usage if the kernel does not fit in the
/// calibration region or there are more sets than coils, input if that is all zero.
Array<std::complex<float>> espirit_maps(const CalibrationRegion& calibration, const Shape& image_shape,
                                        const EspiritOptions& options, Context& ctx);

}  // namespace larmor
