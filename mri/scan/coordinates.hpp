#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>

#include <map>
#include <span>
#include <vector>

namespace LARMOR_API larmor {

/// The samples of one readout that remain after discard_pre and discard_post.
struct ReadoutCoordinates {
  std::span<const double> k;        ///< [samples][dims], cycles/pixel of the solve grid, corrected for the
                                    ///< gradients' response and delay
  std::span<const double> weights;  ///< density weights; empty: none
  std::span<const char> inside;     ///< 1: within ±0.5 of the recon pixel, and its readout is not left out
  std::span<const double> cycles;   ///< phase of the samples by the gradients' response; empty: none
  std::span<const double> times;    ///< seconds from the echo, see sample_times(); empty: not requested
  Index kept = 0;                   ///< number of samples inside
};

/// The same for an image's readouts, one after the other.
struct ImageCoordinates {
  std::vector<Index> first, kept;  ///< by readout: its first sample (one more for the end), samples inside
  Array<double> k, weights;        ///< [samples, dims], [samples] or empty
  Array<double> cycles;            ///< [samples] or empty
  std::vector<char> inside;

  /// True if all values are equal.
  bool operator==(const ImageCoordinates& other) const;
};

/// Coordinates of all readouts of a plan. Images of one trajectory share them.
class Coordinates {
 public:
  /// Space for the readouts of a scan, none of which has coordinates yet.
  explicit Coordinates(std::size_t readouts_of_scan) : readouts_(readouts_of_scan) {}

  /// Adds the coordinates of an image with these readouts. Returns the number of its trajectory.
  std::size_t add(const std::vector<std::size_t>& readouts, ImageCoordinates image);
  /// Times of a readout's samples.
  void set_times(std::size_t readout, std::vector<double> times);
  /// Number of different trajectories.
  std::size_t distinct() const { return trajectories_.size(); }
  /// Bytes of all values.
  std::size_t bytes() const;
  /// Coordinates of Scan::readouts[readout], which one of the images uses.
  const ReadoutCoordinates& of(std::size_t readout) const { return readouts_.at(readout); }

 private:
  std::vector<ImageCoordinates> trajectories_;
  std::multimap<std::vector<double>, std::size_t> known_;  // trajectories by some of their values
  std::vector<ReadoutCoordinates> readouts_;
  std::vector<std::vector<double>> times_;
};

}  // namespace larmor
