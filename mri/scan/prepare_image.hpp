#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

/// One image's data on the solve grid.
struct PreparedImage {
  Array<double> trajectory;            ///< [samples, dims], cycles/pixel of the solve grid, columns x, y(, z)
  Array<std::complex<float>> samples;  ///< [coils, samples], whitened and compressed
  Array<double> weights;               ///< [samples], as the file has them; empty: none
  Array<double> times;  ///< [samples], seconds from the echo, if PrepareOptions::sample_times asks for them
  Array<std::complex<double>> bands;  ///< [samples, bands], the factors of ScanPlan::bands; empty: none
  std::vector<Index> readout_starts;  ///< first sample of each readout of PlannedImage::readouts, and the end
};

/// The samples of these readouts, where they are still in the file, are then in memory. Throws like
/// Scan::samples(), for the first readout that fails.
void read_samples(const Scan& scan, const std::vector<std::size_t>& readouts, Context& ctx);

/// Reads the data of plan.images[image]. Throws Error (input) naming the first NaN or infinite sample.
PreparedImage load_image(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                         std::size_t image, Context& ctx);
/// Its trajectory (and weights) alone; samples stay empty.
PreparedImage load_trajectory(const ScanPlan& plan, std::size_t image);

}  // namespace larmor
