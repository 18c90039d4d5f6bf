#pragma once

#include <larmor/mri/prepare.hpp>

#include <string_view>
#include <vector>

namespace larmor {

// Series of frames from one continuous scan: which readouts belong to which frame.

/// A window of readouts that slides along the scan: "--window N[,step]".
struct FrameWindow {
  Index readouts = 0;  ///< in every frame
  Index step = 0;      ///< from one frame to the next; 0: as many as a frame has
};
/// "34" or "34,8"; throws Error (usage) for anything else.
FrameWindow parse_frame_window(std::string_view text);

struct Frames {
  std::vector<std::vector<Index>> readouts;  ///< of each frame, by place in the scan, ascending
  Shape shape;                               ///< {frames}, or the numbers of bins along each axis
  Index unused = 0;                          ///< readouts that belong to no frame
  Index count() const { return static_cast<Index>(readouts.size()); }
};

/// Complete windows from the first readout on. Throws Error (usage) when not even one is complete.
Frames frames_by_window(Index readouts, const FrameWindow& window);

/// Bins from a file: [readouts] or [readouts, axes], the index of the bin (cardiac, respiratory, …) of each
/// readout, from 0; negative: not used. Frames are all combinations, the last axis fastest. Throws Error
/// (input) for another number of readouts, values that are not integers, and combinations without a readout,
/// naming it.
Frames frames_by_bins(View<const double> bins, Index readouts);

/// The data of each frame, copied from those of the whole scan, in host memory.
std::vector<PreparedImage> split_frames(const PreparedImage& whole, const Frames& frames);

}  // namespace larmor
