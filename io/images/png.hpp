#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

struct PngOptions {
  bool overwrite = false;
  /// Values shown black and white. Default: 0 and the 99.5 percentile of all pixels; -pi and pi for phase.
  std::optional<std::pair<double, double>> window;
};

/// Writes all slices, coils and images as one 8-bit grayscale picture: a montage of equal tiles, row by row,
/// as square as possible; row y = 0 is at the top. Complex series are shown as magnitude. Pixels that are not
/// finite are black. Throws like AtomicFile.
void write_png(const std::string& path, const ImageSeries& series, const PngOptions& options = {});

/// The window of PngOptions by default.
std::pair<double, double> default_window(const ImageSeries& series);

/// Tiles per row of the montage.
Index montage_columns(Index tiles);

/// The bytes of such a file.
std::vector<std::uint8_t> png_of(const ImageSeries& series, const PngOptions& options = {});

}  // namespace larmor
