#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// One linear problem of a scan: an image, a series of frames, or the coefficients of a basis. Problems are
/// independent except for shared parts: coil maps, transforms and weights, and the scale and λ of the whole
/// list.
struct PlannedProblem {
  PlannedSeries series;  ///< its data: images of the scan, and the frames that they become
  std::shared_ptr<const SubspaceBasis> basis;  ///< of its frames; null: none
  Shape unknown;                  ///< [(frames… or coefficients,) (sets, bands or coils,) (z,) y, x]
  std::size_t trajectory = 0;     ///< problems with the same number share transforms and density weights
  bool trajectory_again = false;  ///< a problem that is solved later has, or may have, the same number
  std::size_t first_image = 0, images = 1;  ///< position of its images in Reconstruction::series

  /// Slice whose coil maps it uses; 0 if there are none.
  std::uint16_t maps = 0;
  /// Problems of equal keys share their normal operator.
  std::pair<std::size_t, std::uint16_t> normal() const { return {trajectory, maps}; }
  /// Frames of the series; 1 for a single image.
  Index frames() const { return series.shape.size(); }
};

/// All problems of a scan.
struct ProblemList {
  std::vector<PlannedProblem> problems;  ///< in the order of their images
  /// In which they are solved, so that shared parts are made once and released early.
  std::vector<std::size_t> order;
  std::size_t images = 0;     ///< total number of images
  bool more_to_come = false;  ///< shared parts are kept for the problems of later scans
  SeriesSummary summary;

  /// Number of problems.
  Index size() const { return static_cast<Index>(problems.size()); }
};

/// The second step: the problems of a scan. coils: of the data. Throws Error: usage for more frames than can
/// be numbered and as plan_series; input as plan_series and given_subspace.
ProblemList plan_problems(const ScanPlan& plan, Index coils, const ReconstructOptions& options);

/// Number of images for one frame or coefficient: one for each map set or band.
Index images_of_frame(const ScanPlan& plan, const CoilOptions& options);

/// Fills PlannedProblem::trajectory_again for the order of the list.
void note_trajectories(ProblemList& list);

/// The sizes that decide how much memory a list needs: those of its largest problem.
struct ProblemSizes {
  Shape unknown;
  Index samples = 0;        ///< of one coil, all frames
  Index frame_samples = 0;  ///< of the largest transform
  Index transforms = 1;     ///< with separate tables
  Index frames = 1;         ///< in one array
  Index terms = 1;          ///< mixed by one transform: coefficients × time segments
  bool mixes = false;       ///< mixed by a basis or a field map
  bool complex_basis = false;
  bool copies = false;       ///< frames are parts of their images
  bool tables_known = true;  ///< false: the segments of a field map are not known yet
  std::size_t problems = 1, images = 1, images_of_one = 1;
  friend bool operator==(const ProblemSizes&, const ProblemSizes&) = default;
};
/// segments: of a field map, 0 if they are not known.
ProblemSizes sizes_of(const Scan& scan, const ScanPlan& plan, const ProblemList& list,
                      const ReconstructOptions& options, Index segments);

/// Describes the list to the reporter.
void tell(const ProblemList& list, Context& ctx);
/// The report of a problem before it is solved.
ImageReport describe(const PlannedProblem& problem, const ScanPlan& plan);

}  // namespace larmor
