#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

using Vec3 = std::array<double, 3>;

/// Position of an image in the scanner: patient coordinates LPS, millimetres. Voxel floor(N/2) of each axis
/// is at `position`; x runs along read_dir, y along phase_dir, z along slice_dir (unit vectors).
struct ImageGeometry {
  std::array<Index, 3> matrix{1, 1, 1};  ///< x, y, z
  Vec3 fov_mm{1, 1, 1};                  ///< x, y, z
  Vec3 position{0, 0, 0};
  Vec3 read_dir{1, 0, 0}, phase_dir{0, 1, 0}, slice_dir{0, 0, 1};
  bool orientation_known = true;  ///< false if the file's directions were zero, NaN or not orthonormal

  /// {z, y, x} for volumes, {y, x} for a single slice (matrix z = 1).
  Shape shape() const {
    return matrix[2] > 1 ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]};
  }
};

/// Identifies an image of a scan: the counters of ISMRMRD.
struct ImageCounters {
  std::uint16_t slice = 0, contrast = 0, phase = 0, repetition = 0, set = 0;
  friend auto operator<=>(const ImageCounters&,
                          const ImageCounters&) = default;  // NOLINT(modernize-use-nullptr)
};

/// real: signed values, such as a field map.
enum class ImageKind { magnitude, phase, complex, real };

/// One reconstructed image or volume, in the units of the plain Fourier sum.
struct Image {
  Array<std::complex<float>> pixels;  ///< [z, y, x], always rank 3; [coil, z, y, x] if coils are not combined
  ImageGeometry geometry;
  ImageCounters counters;
  std::uint32_t acquisition_time_stamp = 0;
};

/// All images that one run writes; they have the same shape.
struct ImageSeries {
  std::vector<Image> images;
  ImageKind kind =
      ImageKind::magnitude;    ///< what writers of real formats store; complex formats keep the pixels
  std::string ismrmrd_header;  ///< XML header for ISMRMRD images; may be empty
};

}  // namespace larmor
