#pragma once

#include <larmor/core/data/image.hpp>
#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>

#include <complex>
#include <cstdint>
#include <vector>

namespace LARMOR_API larmor {

// Simultaneous multi-slice (SMS): each readout is the sum of the signals of several slices, the bands, each
// multiplied by a phase factor that changes from readout to readout (CAIPIRINHA, Breuer et al. 2005).

/// The requested bands of a scan.
struct BandOptions {
  Index count = 0;  ///< 0: as in the header; 1: none
  /// Band b of the readout with kspace_encode_step_1 n has the factor exp(−2πi b n / caipi): on Cartesian
  /// lines it is displaced by b/caipi of the field of view. 0: no such factors.
  double caipi = 0;
  /// Factors of the bands, [imaging readouts in the file's order, bands], or for the readouts of one image if
  /// all images have the same number. Empty: as above, otherwise exp(−2πi b n / count) with n =
  /// kspace_encode_step_2, if it counts the steps of a Fourier encoding along the bands.
  SharedArray<std::complex<double>> factors;
  double distance_mm = 0;  ///< between the centres of neighbouring bands; 0: as in the header
};

/// BandOptions::factors from phases in radians.
SharedArray<std::complex<double>> band_factors(View<const double> radians);

/// The bands of a scan, after all decisions.
struct BandPlan {
  Index count = 1;                            ///< 1: no bands
  Index groups = 1;                           ///< images of one volume, each of `count` slices
  SharedArray<std::complex<double>> factors;  ///< [imaging readouts, bands]
  double distance_mm = 0;                     ///< 0: not known

  /// True if slices were excited together.
  bool several() const { return count > 1; }
  /// Slice counter of a band: groups are interleaved, in the order in which scanners acquire them.
  std::uint16_t slice(std::uint16_t group, Index band) const {
    return static_cast<std::uint16_t>(group + band * groups);
  }
  /// Position of a band; readouts have that of the first band.
  ImageGeometry geometry(ImageGeometry of_group, Index band) const;
};

/// Decides on the bands of these imaging readouts (Scan::readouts, ascending). Throws Error: usage about
/// "bands" or "band_phases" if something is missing; input for factors of another shape, for those that are
/// not finite, and for counters by which all readouts have the same factors.
BandPlan plan_bands(const Scan& scan, const Encoding& encoding, const std::vector<std::size_t>& imaging,
                    const BandOptions& options);

}  // namespace larmor
