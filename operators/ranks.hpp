#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

#include <memory>

namespace LARMOR_API larmor {

// Operators that several ranks apply together: each rank has a part of the operator, and all have the same
// images. Solvers need not know about ranks: they see the data only after an adjoint or a normal operator,
// with the same bits on all ranks.

/// Σ A_r x over the ranks r, each with its own operator A_r between the same shapes.
template <typename T>
class SumOverRanks final : public OperatorOfParts<SumOverRanks<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// own: A_r of this rank.
  SumOverRanks(const LinearOperator<T>& own, std::shared_ptr<Communicator> ranks);
  std::string name() const override { return "SumOverRanks"; }
  /// The ranks that apply it together.
  const std::shared_ptr<Communicator>& ranks() const { return ranks_; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  std::shared_ptr<Communicator> ranks_;
};

/// The rows of A that this rank has, for example those of its coils. y holds only this rank's rows; Aᴴ y and
/// AᴴA x are sums over all ranks.
template <typename T>
class RowsOfRank final : public OperatorOfParts<RowsOfRank<T>, T, OperatorBase<RowsOfRank<T>, T>> {
 public:
  using Scalar = std::complex<T>;
  /// own: the rows as an operator.
  RowsOfRank(const LinearOperator<T>& own, std::shared_ptr<Communicator> ranks);
  std::string name() const override { return "RowsOfRank"; }
  /// The ranks that have the other rows.
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

/// ‖y‖² of samples y in the codomain of A; over all ranks if each has its own rows, and then called by all.
template <typename T>
double squared_norm_of_samples(const LinearOperator<T>& A,
                               std::type_identity_t<View<const std::complex<T>>> y, Context& ctx);

}  // namespace larmor
