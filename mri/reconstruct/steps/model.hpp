#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/model/series.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// Parts shared by problems, kept from one to the next.
template <typename T>
struct SharedParts {
  std::map<std::uint16_t, std::vector<CoilMaps<T>>> maps;  ///< by slice, in the channels of the data
  std::map<Index, NufftOptions> tuned;                     ///< by number of samples

  std::optional<std::size_t> trajectory;  ///< PlannedProblem::trajectory of the parts below
  std::vector<Array<double>> weights;     ///< of its frames
  std::vector<Nufft<T>> transforms;       ///< of its frames
  std::optional<double> not_sampled;      ///< ImageReport::not_sampled of its frames

  OperatorPtr<T> normal;                             ///< of the problems with the key
  std::pair<std::size_t, std::uint16_t> normal_key;  ///< PlannedProblem::normal()

  /// Releases the parts that belong to another trajectory.
  void begin(const PlannedProblem& problem) {
    if (trajectory == problem.trajectory) return;
    trajectory = problem.trajectory;
    weights.clear();
    transforms.clear();
    not_sampled.reset();
    normal.reset();
  }
};

/// Inputs for the model of a problem, apart from its data.
struct ModelInput {
  const Scan& scan;  ///< its readouts' headers
  const Selection& selection;
  const ProblemList& list;
  const PlannedProblem& problem;
  const ReconstructOptions& options;
  PartOfProblem part;  ///< that the data are
};

/// The sixth step: builds a linear model and its samples from frames with density weights and the maps in
/// `shared`. Transforms made for another problem are taken from `shared`, and new ones are stored there. With
/// a field map, `memory` is decided again, because its number of segments is then known. Throws Error as
/// series_problem, resource.
template <typename T>
SeriesProblem<T> model_problem(const ModelInput& input, std::vector<PreparedImage> frames,
                               MemoryDecision& memory, SharedParts<T>& shared, ReconstructionReport& report,
                               Context& ctx);

/// Its normal operator, or that of an earlier problem with the same key; the second value: it is new.
template <typename T>
std::pair<OperatorPtr<T>, bool> normal_of(const LinearOperator<T>& model, const PlannedProblem& problem,
                                          const MemoryDecision& memory, SharedParts<T>& shared, Context& ctx);

}  // namespace larmor
