#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>

namespace LARMOR_API larmor {

/// The selected part of a scan, and the conversion of its channels to coils.
struct Selection {
  ScanPlan plan;
  ChannelPlan channels;
  std::optional<ScanPlan> calibration;  ///< its calibration readouts if needed: see plan_calibration
  Array<std::complex<float>> maps;      ///< given maps at the positions of the images; empty: as given

  /// The coil maps that replace an estimate; empty if there are none.
  View<const std::complex<float>> given_maps(const CoilOptions& coils) const {
    return maps.empty() ? coils.maps : maps.view();
  }
  /// Call when all data are loaded.
  void let_go_of_coordinates() {
    plan.coordinates.reset();
    if (calibration) calibration->coordinates.reset();
  }
};

/// PrepareOptions as required by the other groups: whitening, compression, sample times.
PrepareOptions prepare_options(const ReconstructOptions& options);

/// The first step: plan_scan() with the delay found from the data if requested, on the grid of given maps,
/// and plan_channels(). Readouts flagged as calibration only are added to the imaging readouts according to
/// CoilOptions::calibration_readouts; in automatic mode if they belong to the images by encoding, counters,
/// position and dwell time and if one image, on a coarse grid, explains both kinds. Notes and warnings go to
/// the reporter. Throws Error as these, and usage for options refused by check_rules().
Selection select_scan(const Scan& scan, const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
