#pragma once

#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/core/data/scan.hpp>
#include <larmor/operators/nufft/nudft.hpp>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace larmor::test {

/// A header with one encoding; encoded and recon space are equal.
inline Scan empty_scan(std::array<Index, 3> matrix, Vec3 fov_mm, const std::string& trajectory = "radial") {
  Scan scan;
  scan.source = "synthetic.h5";
  Encoding encoding;
  encoding.encoded_matrix = encoding.recon_matrix = matrix;
  encoding.encoded_fov_mm = encoding.recon_fov_mm = fov_mm;
  encoding.has_recon_space = true;
  encoding.trajectory = trajectory;
  scan.encodings.push_back(encoding);
  return scan;
}

/// Appends a readout; data are channels × samples ones unless given.
inline ReadoutHeader& add_readout(Scan& scan, const std::vector<float>& k, int dims, Index channels = 1,
                                  std::vector<std::complex<float>> data = {}, Index samples = 0) {
  Readout readout;
  ReadoutHeader& header = readout.header;
  if (samples == 0) samples = static_cast<Index>(k.size()) / dims;
  header.samples = static_cast<std::uint16_t>(samples);
  header.active_channels = header.available_channels = static_cast<std::uint16_t>(channels);
  header.trajectory_dimensions = static_cast<std::uint16_t>(dims);
  header.sample_time_us = 4;
  header.read_dir = {1, 0, 0};
  header.phase_dir = {0, 1, 0};
  header.slice_dir = {0, 0, 1};
  if (data.empty()) data.assign(static_cast<std::size_t>(channels * samples), {1, 0});
  readout.data_offset = scan.data.size();
  readout.trajectory_offset = scan.trajectory.size();
  scan.data.insert(scan.data.end(), data.begin(), data.end());
  scan.trajectory.insert(scan.trajectory.end(), k.begin(), k.end());
  scan.readouts.push_back(readout);
  return scan.readouts.back().header;
}

/// A spoke from −0.5 to just below 0.5 cycles/pixel.
inline std::vector<float> spoke(double angle, Index samples) {
  std::vector<float> k;
  for (Index j = 0; j < samples; ++j) {
    const double radius = static_cast<double>(j - samples / 2) / static_cast<double>(samples);
    k.push_back(static_cast<float>(radius * std::cos(angle)));
    k.push_back(static_cast<float>(radius * std::sin(angle)));
  }
  return k;
}

/// Adds readouts of exact samples of coil images [coils, y, x]: `spokes` spokes of 2N samples each,
/// coordinates in cycles per pixel of the image.
inline void add_spokes(Scan& scan, View<const std::complex<float>> coil_images, Index spokes, Context& ctx,
                       ImageCounters counters = {}, double first_angle = 0) {
  const Index coils = coil_images.shape()[0], samples = 2 * coil_images.shape()[2];
  for (Index s = 0; s < spokes; ++s) {
    const auto k =
        spoke(first_angle + std::numbers::pi * static_cast<double>(s) / static_cast<double>(spokes), samples);
    const std::vector<double> exact(k.begin(), k.end());
    const Nudft<float> nudft(View<const double>(exact.data(), {samples, 2}),
                             coil_images.shape().drop_front(1), coils, {}, false);
    const auto y = nudft.apply(coil_images, ctx);
    auto& header = add_readout(scan, k, 2, coils, {y.begin(), y.end()});
    header.counters = counters;
    header.encode_step_1 = static_cast<std::uint16_t>(s);
  }
}

/// Appends the other scan's readouts, but not those of noise.
inline void append_imaging(Scan& scan, const Scan& more) {
  for (Readout readout : more.readouts) {
    if (readout.header.has(AcquisitionFlag::noise)) continue;
    readout.data_offset += scan.data.size();
    readout.trajectory_offset += scan.trajectory.size();
    scan.readouts.push_back(readout);
  }
  scan.data.insert(scan.data.end(), more.data.begin(), more.data.end());
  scan.trajectory.insert(scan.trajectory.end(), more.trajectory.begin(), more.trajectory.end());
}

/// An array's elements, for matchers.
template <typename T>
std::vector<T> values(const Array<T>& array) {
  return {array.begin(), array.end()};
}

}  // namespace larmor::test
