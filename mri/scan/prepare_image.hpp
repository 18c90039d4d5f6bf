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
  Array<double> weights;               ///< [samples], from the file; empty: none
  Array<double> times;  ///< [samples], seconds from the echo, if PrepareOptions::sample_times requests them
  Array<std::complex<double>> bands;  ///< [samples, bands], the factors of ScanPlan::bands; empty: none
  std::vector<Index> readout_starts;  ///< first sample of each readout of PlannedImage::readouts, and the end
};

/// Reads the data of plan.images[image]. Throws Error (input) naming the first NaN or infinite sample.
PreparedImage load_image(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                         std::size_t image, Context& ctx);
/// Trajectory (and weights) only; samples stay empty.
PreparedImage load_trajectory(const ScanPlan& plan, std::size_t image);

}  // namespace larmor
