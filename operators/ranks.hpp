#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

#include <memory>

namespace LARMOR_API larmor {

// Operators that several ranks apply together: each has a part of one, images are the same on all of them.
// Solvers need not know: what they see of the data has been through an adjoint or a normal operator, and has
// the same bits everywhere.

/// Σ A_r x over the ranks r, each with an operator A_r of its own between the same shapes.
template <typename T>
class SumOverRanks final : public OperatorOfParts<SumOverRanks<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// own: A_r of this rank.
  SumOverRanks(const LinearOperator<T>& own, std::shared_ptr<Communicator> ranks);
  std::string name() const override { return "SumOverRanks"; }
  /// Those that apply it together.
  const std::shared_ptr<Communicator>& ranks() const { return ranks_; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  std::shared_ptr<Communicator> ranks_;
};

/// The rows of A that this rank has, those of its coils for example. y holds this rank's rows only, Aᴴ y is
/// the sum over all ranks, and so is AᴴA x.
template <typename T>
class RowsOfRank final : public OperatorOfParts<RowsOfRank<T>, T, OperatorBase<RowsOfRank<T>, T>> {
 public:
  using Scalar = std::complex<T>;
  /// own: the rows as an operator of their own.
  RowsOfRank(const LinearOperator<T>& own, std::shared_ptr<Communicator> ranks);
  std::string name() const override { return "RowsOfRank"; }
  /// Those that have the other rows.
  const std::shared_ptr<Communicator>& ranks() const { return ranks_; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;
  /// The sum of the rows' normal operators.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  std::shared_ptr<Communicator> ranks_;
};

/// ‖y‖² of samples y that A gives; over all ranks where each has rows of its own, then called by all.
template <typename T>
double squared_norm_of_samples(const LinearOperator<T>& A,
                               std::type_identity_t<View<const std::complex<T>>> y, Context& ctx);

}  // namespace larmor
