#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Slice counters of the images of the plan, ascending, including those of all bands.
std::vector<std::uint16_t> slices_of(const ScanPlan& plan);

/// Shape of the pixels of given maps: without coils, and without slices if there is such an axis. Throws
/// Error (input) if maps do not have the scan's channels or slices, or the number of sets.
Shape given_maps_pixels(View<const std::complex<float>> maps, Index sets, const ScanPlan& plan);

/// ReconstructionReport::calibration before any is estimated.
std::string calibration_name(const ScanPlan& plan, const CoilOptions& options);

/// Input for the coil maps of a slice.
struct MapsInput {
  const Scan& scan;
  const Selection& selection;
  const CoilOptions& options;
  std::uint16_t slice = 0;
  const PreparedImage* loaded = nullptr;  ///< data of the slice's first image, if available
  Placement placement = Placement::device;
};

/// Coil maps of a slice, given or estimated, in the channels of the data: for each set, or band, [coils, (z,)
/// y, x] of the solve grid, on the context's device. Maps of bands are estimated from calibration readouts of
/// single bands, which have the bands' slice counters, or without these jointly by nlinv. Estimated maps are
/// normalised in the scan's channels, so that the noise covariance does not shade the images.
///
/// Maps are estimated from the central samples of the readouts flagged as calibration, or of as many of the
/// slice's first images as needed to sample the centre: from whichever samples the larger centre. ESPIRiT
/// uses all sampled points if that explains more of the data; if there are too few points, maps are estimated
/// by nlinv. The reporter gets a note, and `used` the method. Throws Error: input for given maps that
/// contain NaN, usage if calibration is turned off for several channels.
std::vector<Array<std::complex<float>>> maps_of_slice(const MapsInput& input, Context& ctx,
                                                      Calibration* used = nullptr);

/// Maps [sets or bands, channels, (z,) y, x] of a slice in the scan's channels, rss 1 or 0, on the device on
/// which they were estimated: the maps that maps_of_slice() converts.
Array<std::complex<float>> estimate_slice_maps(const MapsInput& input, Context& ctx,
                                               Calibration* used = nullptr);

}  // namespace larmor
