#pragma once

#include <larmor/solvers/problem/options.hpp>

#include <vector>

namespace larmor::detail {

/// What every solver's loop does beside its mathematics: history, progress, the caller's hooks, the stopping
/// rule, and going on from a checkpoint.
template <typename T>
class SolverRun {
 public:
  using C = std::complex<T>;
  /// distance: record() says to stop where the iterates seem to be so near to where they go, relative to
  /// them; 0: not, and nothing is estimated.
  SolverRun(std::string name, Index iterations, double tolerance, const SolverHooks<T>& hooks, Context& ctx,
            double distance = 0);

  const std::string& name() const { return name_; }
  /// Whether the run goes on from a checkpoint.
  bool resumed() const { return hooks_.resume != nullptr; }
  /// A number of the checkpoint. Throws Error (input) when it has fewer.
  double resumed_scalar(std::size_t index) const;
  /// Fills the vectors from the checkpoint and returns the iteration after which it was taken.
  Index restore(const std::vector<View<C>>& vectors);

  /// Allocates what iterates of this shape will be compared with, so that iterations do not; `directions`:
  /// the way that they take, too. rhs: Aᴴy. Where it is zero no coil sees the image, and what a term makes of
  /// it there is not waited for.
  void reserve(const Shape& image, bool directions, View<const C> rhs);
  /// Takes note of a finished step; x in the solver's units, `to_image` times smaller than the image, whose
  /// values come first in it. True: stop.
  bool record(const SolverStep& step, View<const C> x, const Shape& image, double to_image = 1);
  /// Whether a checkpoint is to be handed out after this iteration.
  bool checkpoint_due(Index iteration) const {
    return hooks_.checkpoint && hooks_.checkpoint_every > 0 && iteration % hooks_.checkpoint_every == 0;
  }
  void checkpoint(Index iteration, const std::vector<View<const C>>& vectors,
                  const std::vector<double>& scalars) const;

  SolverResult<T> result;
  /// The next steps begin slowly again: that they are small tells nothing.
  void restarted() { restarted_ = true; }
  bool varies = false;  ///< the iterates come from another function each

 private:
  bool is_near(Index iteration, View<const C> x);
  double along_last_step(double energy);

  std::string name_;
  Index iterations_;
  double tolerance_, distance_;
  const SolverHooks<T>& hooks_;
  Context& ctx_;
  Array<C> image_;    // the iterate in the image's units, where a caller wants to see it
  Array<C> mark_;     // an earlier iterate, and where the next one is kept
  Array<C> step_;     // from there to the iterate before it
  Operator<T> seen_;  // 1 or 0 of every pixel; none: all are seen
  Array<C> counted_;  // for its product
  bool marked_ = false, restarted_ = false;
  Index near_ = 0;  // how many marks in a row have said so
  Index next_mark_;
  double moved_ = 0, moved_before_ = 0;  // between the last two marks, and the two before
};

}  // namespace larmor::detail
