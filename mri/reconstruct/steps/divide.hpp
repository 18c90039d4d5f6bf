#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/model.hpp>
#include <larmor/mri/reconstruct/steps/problems.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Parts that can be divided: images or series, the frames of one series, coils; nothing if one rank does
/// all.
enum class Divided { problems, frames, coils, nothing };

/// Assignment of a reconstruction to ranks. Problems are solved by one rank each. Frames, if no term couples
/// them, are each solved by one rank too, with the solver's inner products those of the whole series
/// (PartialVectors). If coils are divided, all ranks solve all problems together, with the same image on
/// each: the model's rows are divided (operators/ranks.hpp).
struct Division {
  Divided kind = Divided::nothing;      ///< nothing: rank 0 does it all
  std::shared_ptr<Communicator> ranks;  ///< null: one rank
  std::vector<int> owners;              ///< of the problems, where these are divided

  /// This process's number among them, from 0.
  int rank() const { return ranks ? ranks->rank() : 0; }
  /// Number of ranks.
  int size() const { return ranks ? ranks->size() : 1; }
  /// True if this rank has any work.
  bool works() const { return kind != Divided::nothing || rank() == 0; }
  /// True if all ranks solve every problem.
  bool together() const { return kind == Divided::frames || kind == Divided::coils; }
};

/// A checksum of the data that ranks must have in common.
double fingerprint(const ProblemList& list, Index coils, const ReconstructOptions& options,
                   const std::string& version);
/// Throws Error (input) on all ranks unless they have the same one.
void require_same(double fingerprint, Communicator& ranks);
/// The division that the options request; automatic: problems, frames or coils, the first of these that is at
/// least as numerous as the ranks. coils: of the data. Throws Error (usage, about "split"), with the reason,
/// if it is not possible.
Division divide(const ProblemList& list, Index coils, const ReconstructOptions& options, const Context& ctx);
/// Reports the decision to the reporter and in the report.
void tell(const Division& division, const ProblemList& list, Index coils, ReconstructionReport& report,
          Context& ctx);

/// The problems that this rank solves, in order; all of them unless problems are divided.
ProblemList own_problems(const ProblemList& list, const Division& division);
/// A problem with this rank's frames only.
PlannedProblem own_frames(const PlannedProblem& problem, const Division& division);
/// This rank's coils, given the total number.
Share own_coils(Index coils, const Division& division);

/// Joins a model of this rank's coils with those of the others.
template <typename T>
void join_ranks(SeriesProblem<T>& model, const Division& division);
/// Joins parts of a solution, one for each rank's frames, into the whole on all ranks.
template <typename T>
Array<std::complex<T>> joined_parts(View<const std::complex<T>> part, const PlannedProblem& problem,
                                    const Division& division);
/// If problems are divided: every solution and its report go to rank 0, which writes the images back. solved:
/// of this rank's problems, in host memory, by their index in the list.
template <typename T>
void gather_solutions(std::map<std::size_t, Array<std::complex<T>>> solved, const ProblemList& list,
                      const ScanPlan& plan, const ReconstructOptions& options, const Division& division,
                      ReconstructionReport& report, ImageSeries& series, Context& ctx);

/// decide_memory() for this rank's part of the problems.
MemoryDecision decide_own_memory(const Scan& scan, const ScanPlan& plan, const ProblemList& list,
                                 const ChannelPlan& channels, const Division& division,
                                 const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
