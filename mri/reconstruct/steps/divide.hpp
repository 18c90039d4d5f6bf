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

/// What can be divided: images or series of their own, the frames of one series, coils; nothing where one
/// rank does all.
enum class Divided { problems, frames, coils, nothing };

/// What of a reconstruction is whose. Problems are solved by one rank each. Frames, which no term couples,
/// are each solved by one rank too, with the solver's inner products those of the whole series
/// (PartialVectors). Where coils are divided all ranks solve all problems together, with the same image on
/// each: the model's rows are divided (operators/ranks.hpp).
struct Division {
  Divided kind = Divided::nothing;      ///< nothing: rank 0 does it all
  std::shared_ptr<Communicator> ranks;  ///< null: one rank
  std::vector<int> owners;              ///< of the problems, where these are divided

  /// This process's number among them, from 0.
  int rank() const { return ranks ? ranks->rank() : 0; }
  /// How many there are.
  int size() const { return ranks ? ranks->size() : 1; }
  /// Whether this rank has anything to do.
  bool works() const { return kind != Divided::nothing || rank() == 0; }
  /// Whether every problem is everybody's.
  bool together() const { return kind == Divided::frames || kind == Divided::coils; }
};

/// What ranks that do the same have in common, as a number.
double fingerprint(const ProblemList& list, Index coils, const ReconstructOptions& options,
                   const std::string& version);
/// Throws Error (input) on all ranks unless they have the same one.
void require_same(double fingerprint, Communicator& ranks);
/// The division that the options ask for; automatic: problems, frames or coils, the first of these that there
/// are as many of as ranks. coils: of the data. Throws Error (usage, about "split") where it is not possible,
/// with the reason.
Division divide(const ProblemList& list, Index coils, const ReconstructOptions& options, const Context& ctx);
/// What was decided, in words, to the reporter and the report.
void tell(const Division& division, const ProblemList& list, Index coils, ReconstructionReport& report,
          Context& ctx);

/// A number of each rank, on all of those that work.
std::vector<double> of_all_ranks(double own, const Division& division);

/// The problems that this rank solves, in its order; all of them unless problems are divided.
ProblemList own_problems(const ProblemList& list, const Division& division);
/// A problem with this rank's frames alone.
PlannedProblem own_frames(const PlannedProblem& problem, const Division& division);
/// This rank's coils, of so many.
Share own_coils(Index coils, const Division& division);

/// A model of this rank's coils becomes that of all.
template <typename T>
void join_ranks(SeriesProblem<T>& model, const Division& division);
/// Parts of a solution, one of each rank's frames, become the whole on all ranks.
template <typename T>
Array<std::complex<T>> joined_parts(View<const std::complex<T>> part, const PlannedProblem& problem,
                                    const Division& division);
/// Where problems are divided: every solution and its report go to rank 0, which writes the images back.
/// solved: of this rank's problems, in host memory, by their place in the list.
template <typename T>
void gather_solutions(std::map<std::size_t, Array<std::complex<T>>> solved, const ProblemList& list,
                      const ScanPlan& plan, const ReconstructOptions& options, const Division& division,
                      ReconstructionReport& report, ImageSeries& series);

/// decide_memory() for this rank's part of the problems.
MemoryDecision decide_own_memory(const Scan& scan, const ScanPlan& plan, const ProblemList& list,
                                 const ChannelPlan& channels, const Division& division,
                                 const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
