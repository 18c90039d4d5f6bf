#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/automatic/split_choice.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/model.hpp>
#include <larmor/mri/reconstruct/steps/problems.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// What of a reconstruction is whose. Where problems are divided, each is solved by one rank, and no rank
/// needs another. Otherwise all ranks solve all problems together, with the same image on each: the model's
/// rows are divided (operators/ranks.hpp), be it frames, coils or samples.
struct Division {
  Divided kind = Divided::nothing;      ///< nothing: rank 0 does it all
  std::shared_ptr<Communicator> ranks;  ///< null: one rank
  std::vector<int> owners;              ///< of the problems, where these are divided
  /// Frames: no term couples them, so that each rank solves for its own; the solvers' inner products are
  /// those of the whole series (core/vectors/partial_vectors.hpp), but not with the bits of one rank.
  bool apart = false;
  std::vector<SplitTime> compared;  ///< what the automatic split was chosen from

  int rank() const { return ranks ? ranks->rank() : 0; }
  int size() const { return ranks ? ranks->size() : 1; }
  /// Whether this rank has anything to do.
  bool works() const { return kind != Divided::nothing || rank() == 0; }
  /// Whether every problem is everybody's.
  bool together() const {
    return kind == Divided::frames || kind == Divided::coils || kind == Divided::samples;
  }
};

/// What ranks that do the same have in common, as a number.
double fingerprint(const ProblemList& list, Index coils, const ReconstructOptions& options,
                   const std::string& version);
/// Throws Error (input) on all ranks unless they have the same one.
void require_same(double fingerprint, Communicator& ranks);
/// The division that the options ask for. coils: of the data; work: of one process, which the automatic one
/// is predicted from. Throws Error (usage, about "split") where it is not possible, with the reason.
Division divide(const ProblemList& list, Index coils, const ReconstructOptions& options, Workload work,
                const Context& ctx);
/// What was decided, in words, to the reporter and the report.
void tell(const Division& division, const ProblemList& list, Index coils, ReconstructionReport& report,
          Context& ctx);

/// A number of each rank, on all of those that work.
std::vector<double> of_all_ranks(double own, const Division& division);
/// Of such numbers, which are added up, those of the ranks before this one.
Index before_this_rank(Index own, const Division& division);

/// The problems that this rank solves, in its order; all of them unless problems are divided.
ProblemList own_problems(const ProblemList& list, const Division& division);
/// A problem with this rank's frames alone. Its unknown stays that of all frames unless these are apart.
PlannedProblem own_frames(const PlannedProblem& problem, const Division& division);
/// This rank's coils.
ChannelPlan own_coils(const ChannelPlan& channels, const Division& division);
/// How many coils this rank sums for themselves (SeriesOptions::coil_groups) where results are to have the
/// bits of one rank, which they have for 2, 4 and 8 ranks. coils: of all ranks; equal: groups have to be.
/// Empty where the order is of no concern.
std::vector<Index> own_coil_groups(Index coils, bool equal, const Division& division, const Context& ctx);
/// The plan with this rank's readouts of each image, where the samples of a readout are all of use and there
/// are readouts for all ranks; otherwise nothing.
std::optional<ScanPlan> own_readouts(const Scan& scan, const ScanPlan& plan, const Division& division);
/// Frames of these readouts are told which part of their samples they hold.
void note_parts(std::vector<PreparedImage>& frames, const Division& division);
/// This rank's samples of each frame.
std::vector<PreparedImage> own_samples(const std::vector<PreparedImage>& frames, const Division& division);

/// A model of this rank's part becomes that of the problem, whose image is the same on all ranks.
template <typename T>
void join_ranks(SeriesProblem<T>& model, const PlannedProblem& problem, const Division& division);
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
