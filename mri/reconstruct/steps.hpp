#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/operators/coil_maps.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

// The steps that reconstruct(), estimate_maps() and estimate_density() are made of.

/// Adds the time since it was last asked to one of the report's stages.
class StageClock {
 public:
  explicit StageClock(ReconstructionReport& report) : report_(report), last_(Clock::now()) {}
  void charge(const char* stage);

 private:
  using Clock = std::chrono::steady_clock;
  ReconstructionReport& report_;
  Clock::time_point last_;
};

/// The options with the delay that RING finds in the first image, when they ask for it; it goes to the
/// reporter.
PrepareOptions with_estimated_delay(const Scan& scan, PrepareOptions options, Context& ctx);

/// Throws Error (usage) when options and channels do not go with options.map_sets.
void check_map_sets(const ReconstructOptions& options, Index channels);

/// Slice counters of the plan's images, ascending.
std::vector<std::uint16_t> slices_of(const ScanPlan& plan);

/// Shape of the pixels of given maps: without coils, and without slices where there are as many axes.
/// Throws Error (input) when maps do not have the scan's channels or slices, or that many sets.
Shape given_maps_pixels(View<const std::complex<float>> maps, Index sets, const ScanPlan& plan);
/// Maps of the slice at `position` of slices_of(plan), [sets, channels, pixels]. Throws Error (input) for
/// NaN.
View<const std::complex<float>> given_slice_maps(View<const std::complex<float>> maps, Index sets,
                                                 const ScanPlan& plan, std::size_t position);

/// Coil maps [sets, channels, pixels] of a slice in the scan's channels on the solve grid, rss 1 or 0,
/// estimated from the central samples of the slice's first images, as many as it takes to sample the centre.
/// `loaded`: data of the slice's first image when they are at hand, otherwise null.
Array<std::complex<float>> estimate_slice_maps(const Scan& scan, const ScanPlan& plan,
                                               const ChannelPlan& channels, std::uint16_t slice,
                                               Calibration calibration, Index sets,
                                               const PreparedImage* loaded, Context& ctx);

/// The maps of a slice, given or estimated, in the channels of the data and on the context's device, one for
/// each set.
template <typename T>
std::vector<CoilMaps<T>> slice_maps_of_data(const Scan& scan, const ScanPlan& plan,
                                            const ChannelPlan& channels, std::uint16_t slice,
                                            const ReconstructOptions& options, const PreparedImage* loaded,
                                            Context& ctx, Placement placement = Placement::device);

/// A solution [(coils,) (z,) y, x] on the solve grid, host memory, as pixels [(coils,) z, y, x] of the recon
/// grid in float and in the units of the plain sum.
template <typename T>
Array<std::complex<float>> image_pixels(View<const std::complex<T>> image, const Grids& grids, bool coils);

/// Which density is used, with automatic resolved.
DensityKind decide_density(const ScanPlan& plan, const ReconstructOptions& options);
/// Weights of one image's samples; empty for DensityKind::none.
Array<double> image_density(const Scan& scan, const ScanPlan& plan, std::size_t image,
                            const PreparedImage& data, DensityKind density, double nufft_tolerance,
                            Context& ctx);

/// Tolerance of a transform that is used once or twice beside a Toeplitz operator.
double once_used_tolerance(double asked);

/// What the reconstruction will hold at its peak, with the form of the normal operator that fits the
/// context's limit, and the options that make the operator choose that form.
struct MemoryDecision {
  MemoryPlan plan;
  NormalOptions normal;
  bool small_grid = false;     ///< NufftOptions::small_grid
  double nufft_tolerance = 0;  ///< NufftOptions::tolerance
  /// Coils that are transformed at a time, their maps and samples then placed in the host's memory; 0: all.
  Index coil_block = 0;
};
/// Allocates nothing of the data's size. Throws Error (resource) when even the smallest form does not fit.
MemoryDecision decide_memory(const Scan& scan, const ScanPlan& plan, Index coils,
                             const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
