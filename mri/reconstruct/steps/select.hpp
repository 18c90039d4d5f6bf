#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>

namespace LARMOR_API larmor {

/// What of a scan is reconstructed, and how its channels become coils.
struct Selection {
  ScanPlan plan;
  ChannelPlan channels;
  std::optional<ScanPlan>
      calibration;                  ///< its calibration readouts, where they are wanted: see plan_calibration
  Array<std::complex<float>> maps;  ///< given maps where the images lie; empty: as they were given

  /// The coil maps that are taken instead of estimating them; empty where there are none.
  View<const std::complex<float>> given_maps(const CoilOptions& coils) const {
    return maps.empty() ? coils.maps : maps.view();
  }
  /// When all data are loaded.
  void let_go_of_coordinates() {
    plan.coordinates.reset();
    if (calibration) calibration->coordinates.reset();
  }
};

/// PrepareOptions as the other groups ask for them: whitening, compression, sample times.
PrepareOptions prepare_options(const ReconstructOptions& options);

/// The first step: plan_scan() with the delay that is found in the data where that is asked for, on the grid
/// of given maps, and plan_channels(). Readouts that are flagged as calibration alone are taken among the
/// imaging readouts as CoilOptions::calibration_readouts asks for; on their own where they belong to the
/// images by encoding, counters, position and dwell time and where one image, on a coarse grid, explains both
/// kinds. Notes and warnings go to the reporter. Throws Error as these, and
/// usage for what check_rules() refuses.
Selection select_scan(const Scan& scan, const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
