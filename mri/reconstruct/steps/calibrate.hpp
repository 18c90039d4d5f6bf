#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Slice counters of the images that the plan makes, ascending: of all bands.
std::vector<std::uint16_t> slices_of(const ScanPlan& plan);

/// Shape of the pixels of given maps: without coils, and without slices where there are as many axes.
/// Throws Error (input) when maps do not have the scan's channels or slices, or that many sets.
Shape given_maps_pixels(View<const std::complex<float>> maps, Index sets, const ScanPlan& plan);

/// ReconstructionReport::calibration before any is estimated.
std::string calibration_name(const ScanPlan& plan, const CoilOptions& options);

/// What the coil maps of a slice are found from.
struct MapsInput {
  const Scan& scan;
  const Selection& selection;
  const CoilOptions& options;
  std::uint16_t slice = 0;
  const PreparedImage* loaded = nullptr;  ///< data of the slice's first image, where they are at hand
  Placement placement = Placement::device;
};

/// Coil maps of a slice, given or estimated, in the channels of the data: for each set, or band, [coils, (z,)
/// y, x] of the solve grid, on the context's device. Those of bands are estimated from calibration readouts
/// of single bands, which have the bands' slice counters, or without these together by nlinv. Those of an
/// estimate are normalised in the scan's channels, so that images carry no shading from the noise covariance.
/// Estimated from the central samples of the readouts that are flagged as calibration, or of the slice's
/// first images, as many as it takes to sample the centre: of what samples the larger one. ESPIRiT uses as
/// many points as are sampled where that explains more of the data, and where there are too few, maps are
/// estimated by nlinv; the reporter says so, and `used` how it was done. Throws Error: input for given maps
/// that hold NaN, usage where no calibration leaves several channels.
std::vector<Array<std::complex<float>>> maps_of_slice(const MapsInput& input, Context& ctx,
                                                      Calibration* used = nullptr);

/// Maps [sets or bands, channels, (z,) y, x] of a slice in the scan's channels, rss 1 or 0, where they were
/// estimated: what maps_of_slice() mixes.
Array<std::complex<float>> estimate_slice_maps(const MapsInput& input, Context& ctx,
                                               Calibration* used = nullptr);

}  // namespace larmor
