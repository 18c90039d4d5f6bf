#pragma once

#include <larmor/core/data/image.hpp>

#include <functional>
#include <span>
#include <vector>

// Helpers of the image writers; not part of the public interface.

namespace larmor {

/// Extents of a series as one array.
struct SeriesShape {
  Index frames = 0, coils = 1, z = 1, y = 1, x = 1;
  /// [(frames,) (coils,) (z,) y, x] without axes of length 1.
  Shape squeezed() const;
  Index image_size() const { return coils * z * y * x; }
};

/// "magnitude", "phase", "complex", "real": as files name them.
const char* to_string(ImageKind kind);

/// Throws Error (usage) if there are no images, they have no pixels, or different shapes.
SeriesShape series_shape(const ImageSeries& series);

/// Magnitude, phase (radians) or real part of pixels; magnitude for complex.
std::vector<float> real_pixels(View<const std::complex<float>> pixels, ImageKind kind);

/// Calls write() with consecutive parts of these values, which are small enough for the cache.
void real_parts(View<const std::complex<float>> pixels, ImageKind kind,
                const std::function<void(std::span<const float>)>& write);

/// Without axes of length 1 before the last two.
Shape without_single_axes(const Shape& shape);

}  // namespace larmor
