#pragma once

#include <larmor/solvers/problem/options.hpp>

#include <vector>

namespace larmor::detail {

/// Bookkeeping of every solver's loop: history, progress, the caller's hooks, the stopping rule, and resuming
/// from a checkpoint.
template <typename T>
class SolverRun {
 public:
  using C = std::complex<T>;
  /// distance: record() stops when the iterates seem to be this close to their limit, relative to them; 0: no
  /// estimate.
  SolverRun(std::string name, Index iterations, double tolerance, const SolverHooks<T>& hooks, Context& ctx,
            double distance = 0);

  const std::string& name() const { return name_; }
  /// True if the run resumes from a checkpoint.
  bool resumed() const { return hooks_.resume != nullptr; }
  /// A number of the checkpoint. Throws Error (input) if it has fewer.
  double resumed_scalar(std::size_t index) const;
  /// Fills the vectors from the checkpoint and returns the iteration after which it was taken.
  Index restore(const std::vector<View<C>>& vectors);

  /// Allocates the vectors with which iterates are compared, so that iterations allocate nothing;
  /// `directions`: also their movement. rhs: Aᴴy. Pixels where it is zero are seen by no coil, and do not
  /// count for convergence.
  void reserve(const Shape& image, bool directions, View<const C> rhs);
  /// Records a finished step; x in the solver's units, `to_image` times smaller than the image, whose values
  /// come first in it. True: stop.
  bool record(const SolverStep& step, View<const C> x, const Shape& image, double to_image = 1);
  /// True if a checkpoint is due after this iteration.
  bool checkpoint_due(Index iteration) const {
    return hooks_.checkpoint && hooks_.checkpoint_every > 0 && iteration % hooks_.checkpoint_every == 0;
  }
  void checkpoint(Index iteration, const std::vector<View<const C>>& vectors,
                  const std::vector<double>& scalars) const;

  SolverResult<T> result;
  /// Marks a restart: the next steps are small at first, which does not mean convergence.
  void restarted() { restarted_ = true; }
  bool varies = false;  ///< the iterates come from a different function each

 private:
  bool is_near(Index iteration, View<const C> x);
  double along_last_step(double energy);

  std::string name_;
  Index iterations_;
  double tolerance_, distance_;
  const SolverHooks<T>& hooks_;
  Context& ctx_;
  Array<C> image_;    // the iterate in the image's units, if the caller needs it
  Array<C> mark_;     // an earlier iterate, and the place of the next one
  Array<C> step_;     // from there to the iterate before it
  Operator<T> seen_;  // 1 or 0 for every pixel; none: all are seen
  Array<C> counted_;  // for its product
  bool marked_ = false, restarted_ = false;
  Index near_ = 0;  // consecutive marks that found it close
  Index next_mark_;
  double moved_ = 0, moved_before_ = 0;  // between the last two marks, and the two before
};

}  // namespace larmor::detail
