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

/// What scans of one protocol share that are reconstructed one after the other, as images of a series arrive
/// from a scanner: what the first one decided and made. They have the same noise and calibration readouts,
/// and the same options, of which λ may have been found with the first. Coil maps are those of a slice's
/// first scan, unless the slice has moved; weights, transforms and the normal operator those of the last
/// trajectory. Where a scan has another grid or other channels, it is a first one.
struct Protocol {
  /// Decided with the first scan.
  struct Decided {
    Grid recon, solve;
    ChannelPlan channels;
    GradientDelay delay;
    bool calibration_is_imaging = false;
  };
  std::optional<Decided> decided;
  /// The same, of problems that need as much memory.
  std::optional<std::pair<ProblemSizes, MemoryDecision>> memory;
  std::map<std::uint16_t, ImageGeometry> places;  ///< of the slices that have coil maps
  std::tuple<SharedParts<float>, SharedParts<double>> parts;
  std::uint64_t trajectory = 0;            ///< fingerprint of that of the parts; 0: nothing is kept
  double scale = 0;                        ///< that λ is relative to
  double norm_squared = 0;                 ///< ‖A‖² of the normal operator
  std::optional<Expectation> expectation;  ///< of the first scan
  std::optional<ReconstructionReport> report;

  /// Whether the plan is one of these scans.
  bool fits(const ScanPlan& plan) const;
  /// What was decided for such problems, or what `decide` says: parts that are of no use then are given up.
  MemoryDecision memory_of(const ProblemSizes& sizes, const std::function<MemoryDecision()>& decide);
  /// Before the first of a scan's problems, which has these frames, and whenever the trajectory changes:
  /// parts of the same trajectory become the problem's. alone: transforms are made of more than that.
  template <typename T>
  void begin(const PlannedProblem& problem, const std::vector<PreparedImage>& frames, bool alone);
  /// What is measured once goes into the report of a later scan.
  void recall(ReconstructionReport& of_scan) const;
  /// Coil maps of slices that lie elsewhere now are given up.
  template <typename T>
  void begin(const ScanPlan& plan);
};

}  // namespace larmor
