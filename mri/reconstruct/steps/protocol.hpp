#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/model.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace LARMOR_API larmor {

/// Results shared by scans of one protocol that are reconstructed one after the other, such as the images of
/// a series that arrive from a scanner: decisions and parts of the first one. They have the same noise and
/// calibration readouts, and the same options, of which λ may have been found with the first. Coil maps are
/// those of a slice's first scan, unless the slice has moved; weights, transforms and the normal operator
/// those of the last trajectory. A scan with another grid or other channels starts anew.
struct Protocol {
  /// Decided with the first scan.
  struct Decided {
    Grid recon, solve;
    ChannelPlan channels;
    GradientDelay delay;
    bool calibration_is_imaging = false;
  };
  std::optional<Decided> decided;
  /// The same for problems that need as much memory.
  std::optional<std::pair<ProblemSizes, MemoryDecision>> memory;
  std::map<std::uint16_t, ImageGeometry> places;  ///< of the slices that have coil maps
  std::tuple<SharedParts<float>, SharedParts<double>> parts;
  std::uint64_t trajectory = 0;            ///< fingerprint of the parts' trajectory; 0: nothing is kept
  double scale = 0;                        ///< that λ is relative to
  double norm_squared = 0;                 ///< ‖A‖² of the normal operator
  std::optional<Expectation> expectation;  ///< of the first scan
  std::optional<ReconstructionReport> report;

  /// True if the plan belongs to one of these scans.
  bool fits(const ScanPlan& plan) const;
  /// The decision for such problems, made by `decide` if necessary: parts that do not suit it are then
  /// released.
  MemoryDecision memory_of(const ProblemSizes& sizes, const std::function<MemoryDecision()>& decide);
  /// To be called before the first of a scan's problems, which has these frames, and whenever the trajectory
  /// changes: parts for the same trajectory are passed to the problem. alone: transforms depend only on the
  /// trajectory.
  template <typename T>
  void begin(const PlannedProblem& problem, const std::vector<PreparedImage>& frames, bool alone,
             const Context& ctx);
  /// Copies values that are measured once into the report of a later scan.
  void recall(ReconstructionReport& of_scan) const;
  /// Releases coil maps of slices whose position has changed.
  template <typename T>
  void begin(const ScanPlan& plan);
};

}  // namespace larmor
