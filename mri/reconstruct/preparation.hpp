#pragma once

#include <larmor/mri/reconstruct/steps/model.hpp>

#include <vector>

namespace larmor {

/// The steps from a scan to linear models, for the problems of a list one after the other, with what these
/// share. Selection, list, report and clock are borrowed.
template <typename T>
class Preparation {
 public:
  Preparation(Scan scan, const ReconstructOptions& options, const Selection& selection,
              const ProblemList& list, MemoryDecision memory, ReconstructionReport& report, StageClock& clock,
              Context& ctx);

  /// The data of a problem's frames.
  std::vector<PreparedImage> load(const PlannedProblem& problem);
  /// The maps of its slice, unless they are there. frames: its data where they are at hand; otherwise null.
  void calibrate(const PlannedProblem& problem, const std::vector<PreparedImage>* frames);
  /// The frames get their density weights.
  void weigh(const PlannedProblem& problem, std::vector<PreparedImage>& frames);
  /// And become a model and its samples.
  SeriesProblem<T> model(const PlannedProblem& problem, std::vector<PreparedImage> frames);

  /// Nothing will be loaded any more. Returns the scan's header.
  std::string let_go_of_data();
  /// Weights of another kind from now on.
  void set_density(DensityKind density);
  DensityKind density() const { return density_; }

  ReconstructOptions options;  ///< with what was found where they are automatic
  const Selection& selection;
  const ProblemList& list;
  MemoryDecision memory;
  SharedParts<T> shared;
  /// Problems are looked at that are solved for later: what they share is kept for then.
  bool ahead = false;

 private:
  Scan scan_;
  ReconstructionReport& report_;
  StageClock& clock_;
  Context& ctx_;
  Context host_;  // where readouts become samples
  DensityKind density_;
};

}  // namespace larmor
