#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <optional>
#include <vector>

namespace LARMOR_API larmor {

// Series of frames from one continuous scan: assignment of readouts to frames.

/// A window of readouts that slides along the scan.
struct FrameWindow {
  Index readouts = 0;  ///< in every frame
  Index step = 0;      ///< from one frame to the next; 0: the length of a frame
};

/// Readouts of each frame of a series.
struct Frames {
  std::vector<std::vector<Index>> readouts;  ///< of each frame, by index in the scan, ascending
  Shape shape;                               ///< {frames}, or the numbers of bins along each axis
  Index unused = 0;                          ///< readouts without a frame
  /// Number of frames.
  Index count() const { return static_cast<Index>(readouts.size()); }
};

/// Complete windows from the first readout on. Throws Error (usage) if there is none.
Frames frames_by_window(Index readouts, const FrameWindow& window);

/// Bins from a file: [readouts] or [readouts, axes], the index of the bin (cardiac, respiratory, …) of each
/// readout, from 0; negative: not used. Frames are all combinations, the last axis fastest. Throws Error
/// (input) for another number of readouts, values that are not integers, and combinations without a readout,
/// naming it.
Frames frames_by_bins(View<const double> bins, Index readouts);

/// The data of each frame, copied from those of the whole scan, in host memory. workers: their threads share
/// the frames.
std::vector<PreparedImage> split_frames(const PreparedImage& whole, const Frames& frames,
                                        Context* workers = nullptr);

/// Joins frames, or images, into the data of one.
PreparedImage joined_frames(const std::vector<PreparedImage>& frames);

/// Options that make a series of a scan. Views are borrowed for the length of a call.
struct SeriesChoice {
  std::optional<FrameWindow> window = std::nullopt;
  /// See frames_by_bins: one row for every imaging readout of the file (ScanPlan::imaging), or of each slice.
  View<const double> bins = {};
  /// Images of a slice, which differ in contrast, phase, repetition or set, are the frames of one series;
  /// otherwise, and without window and bins, each is a problem of its own.
  bool join_images = false;
};

/// One problem: images of the plan that are read in order, and the frames into which they are divided.
struct PlannedSeries {
  std::vector<std::size_t> images;  ///< of ScanPlan::images, in their order
  std::uint16_t slice = 0;
  std::optional<Frames> frames;  ///< of all their readouts; none: each image is a frame
  Shape shape;                   ///< axes of the series; {} for a single image
};

/// All problems of a scan. Throws Error: usage for both a window and bins, and as frames_by_window; input as
/// frames_by_bins.
std::vector<PlannedSeries> plan_series(const ScanPlan& plan, const SeriesChoice& choice);

/// The frames of a problem, on the solve grid.
std::vector<PreparedImage> load_series(const Scan& scan, const ScanPlan& plan, const ChannelPlan& channels,
                                       const PlannedSeries& series, Context& ctx);

}  // namespace larmor
