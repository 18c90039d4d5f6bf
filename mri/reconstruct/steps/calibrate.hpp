#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Slice counters of the plan's images, ascending.
std::vector<std::uint16_t> slices_of(const ScanPlan& plan);

/// Shape of the pixels of given maps: without coils, and without slices where there are as many axes.
/// Throws Error (input) when maps do not have the scan's channels or slices, or that many sets.
Shape given_maps_pixels(View<const std::complex<float>> maps, Index sets, const ScanPlan& plan);

/// ReconstructionReport::calibration before any is estimated.
std::string calibration_name(const ScanPlan& plan, const CoilOptions& options);

/// Coil maps of a slice, given or estimated, in the channels of the data: for each set [coils, (z,) y, x] of
/// the solve grid, on the context's device at `placement`. Those of an estimate are normalised in the scan's
/// channels, so that images carry no shading from the noise covariance. Estimated from the central samples of
/// the readouts that are flagged as calibration, or of the slice's first images, as many as it takes to
/// sample the centre: of what samples the larger one. ESPIRiT uses as many points as are sampled where that
/// explains more of the data, and where there are too few, maps are estimated by nlinv; the reporter says so,
/// and `used` how it was done. `loaded`: data of the slice's first image when they are at hand, otherwise
/// null. Throws Error: input for given maps that hold NaN, usage where no calibration leaves several
/// channels.
std::vector<Array<std::complex<float>>> maps_of_slice(const Scan& scan, const Selection& selection,
                                                      const CoilOptions& options, std::uint16_t slice,
                                                      const PreparedImage* loaded, Context& ctx,
                                                      Calibration* used = nullptr,
                                                      Placement placement = Placement::device);

/// The same as operators on the context's device.
template <typename T>
std::vector<CoilMaps<T>> coil_maps_of_slice(const Scan& scan, const Selection& selection,
                                            const CoilOptions& options, std::uint16_t slice,
                                            const PreparedImage* loaded, Placement placement, Context& ctx,
                                            Calibration* used = nullptr);

/// What a program of its own usually wants: the maps of one image, [coils, (z,) y, x] on the context's
/// device, as reconstruct() takes them.
Array<std::complex<float>> estimate_coil_maps(const Scan& scan, const Selection& selection, Context& ctx,
                                              std::size_t image = 0, const CoilOptions& options = {});

/// Coil maps as a file holds them, and what they were estimated from.
struct EstimatedMaps {
  Array<std::complex<float>> maps;  ///< [coils, (z,) y, x] in the scan's channels on the solve grid, rss 1 or
                                    ///< 0; [(slices,) (sets,) coils, (z,) y, x] when there are several
  Selection selection;
  std::vector<ImageGeometry> geometry;  ///< of every slice, on the solve grid
};
/// The maps that reconstruct() would use.
EstimatedMaps estimate_maps(Scan scan, const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
