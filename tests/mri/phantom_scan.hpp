#pragma once

// Scans of the head phantom along any trajectory.

#include <larmor/mri/simulation/phantom.hpp>

#include "mri/phantom_image.hpp"
#include "mri/synthetic_scan.hpp"

namespace larmor::test {

inline Phantom head_with_coils(int dims, Index coils) {
  return Phantom(dims, head_phantom(dims), coil_ring(dims, coils));
}

/// Interleaf `turn` of `interleaves` of an Archimedean spiral whose arms, with all interleaves, are one cycle
/// per field of view apart; out to `edge` cycles/pixel of an image of n pixels. x, y of each sample.
inline std::vector<float> spiral_interleaf(Index n, Index interleaves, Index turn, double edge = 0.5) {
  const double growth = static_cast<double>(interleaves) / static_cast<double>(n) / (2 * std::numbers::pi);
  const double last = edge / growth, step = std::min(0.05, 1 / (2 * edge * static_cast<double>(n)));
  const double first = 2 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(interleaves);
  std::vector<float> k;
  for (double angle = 0; angle <= last; angle += step) {
    k.push_back(static_cast<float>(growth * angle * std::cos(angle + first)));
    k.push_back(static_cast<float>(growth * angle * std::sin(angle + first)));
  }
  return k;
}

/// Appends a readout of the phantom at k [samples][dims] with complex noise of standard deviation `noise`;
/// the trajectory is stored unless `generated`.
inline ReadoutHeader& add_phantom_readout(Scan& scan, const Phantom& phantom, const std::vector<float>& k,
                                          const Shape& image, Context& ctx, double noise = 0,
                                          bool generated = false) {
  const Index dims = phantom.dims(), samples = static_cast<Index>(k.size()) / dims;
  const std::vector<double> exact(k.begin(), k.end());
  const auto signal = phantom.kspace(View<const double>(exact.data(), {samples, dims}), image, ctx);
  std::vector<std::complex<float>> data(signal.begin(), signal.end());
  const auto white = random_complex({signal.size()}, static_cast<unsigned>(scan.data.size() + 1));
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] += static_cast<float>(noise / std::sqrt(2.0)) * white[static_cast<Index>(i)];
  return add_readout(scan, generated ? std::vector<float>{} : k, generated ? 0 : static_cast<int>(dims),
                     phantom.coils(), std::move(data), samples);
}

/// Distance of maps [coils, pixels] of unit length from the true ones, regardless of the phase of each pixel:
/// √mean(1 − |Σ conj(m) t|²) over the object.
inline double map_error(View<const std::complex<float>> maps, View<const std::complex<float>> truth,
                        View<const std::complex<double>> object) {
  const Index pixels = object.size();
  double sum = 0, count = 0;
  for (Index p = 0; p < pixels; ++p) {
    if (std::abs(object[p]) < 0.05) continue;
    std::complex<double> overlap = 0;
    for (Index c = 0; c < truth.shape()[0]; ++c)
      overlap +=
          std::conj(std::complex<double>(maps[c * pixels + p])) * std::complex<double>(truth[c * pixels + p]);
    sum += std::max(0.0, 1 - std::norm(overlap));
    ++count;
  }
  return std::sqrt(sum / count);
}
inline double map_error(View<const std::complex<float>> maps, const Phantom& phantom, const Shape& image,
                        Context& ctx) {
  return map_error(maps, phantom.maps(image, ctx), phantom_image(phantom, image, 1, ctx));
}

}  // namespace larmor::test
