#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// (A₁ x, A₂ x, …), one domain; the codomain is flat: [sum of the codomains' sizes].
template <typename T>
class VStack final : public OperatorOfParts<VStack<T>, T, OperatorBase<VStack<T>, T>> {
 public:
  using Scalar = std::complex<T>;
  /// codomain: where its arrays lie. Those in page-locked host memory go through scratch, a row at a time.
  explicit VStack(const std::vector<Operator<T>>& rows, Placement codomain = Placement::device);
  std::string name() const override { return "VStack"; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;
  /// Sum of the rows' normal operators.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  bool copies_rows(const Context& ctx) const { return ctx.on_gpu() && placement_ == Placement::host; }

  Placement placement_;
};

/// (A₁ x₁, A₂ x₂, …) on flat domain and codomain: [sum of the sizes].
template <typename T>
class BlockDiag final : public OperatorOfParts<BlockDiag<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// The blocks in the order of their places.
  explicit BlockDiag(const std::vector<Operator<T>>& blocks);
  std::string name() const override { return "BlockDiag"; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// Block by block.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;
};

/// A₁ x₁ + A₂ x₂ + …; all of one domain and one codomain, x₁, x₂, … side by side along a new slowest axis.
template <typename T>
class HStack final : public OperatorOfParts<HStack<T>, T, OperatorBase<HStack<T>, T>> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error unless all have the same shapes.
  explicit HStack(const std::vector<Operator<T>>& columns);
  std::string name() const override { return "HStack"; }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;
};

/// The same operator for each of n entries of a new slowest axis.
template <typename T>
class Batched final : public OperatorOfParts<Batched<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// `count` entries, one after another.
  Batched(const LinearOperator<T>& inner, Index count);
  std::string name() const override { return "Batched"; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// Batched(A.normal(), n)
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  Index count_;
};

/// A x + B x; both sums are made on their own before they are added. The order of a tree of them does not
/// depend on who makes which part: ((1 + 2) + (3 + 4)) is what one makes of four terms, and what two make who
/// have two of them each.
template <typename T>
class PairedSum final : public OperatorOfParts<PairedSum<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (usage) when shapes differ.
  PairedSum(const Operator<T>& first, const Operator<T>& second);
  std::string name() const override { return "PairedSum"; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
};

/// (A x, B x) of one domain; the codomain is flat: [sum of the codomains' sizes]. The adjoint and the normal
/// operator are paired sums.
template <typename T>
class PairedRows final : public OperatorOfParts<PairedRows<T>, T, OperatorBase<PairedRows<T>, T>> {
 public:
  using Scalar = std::complex<T>;
  /// Throws Error (usage) when domains differ.
  PairedRows(const Operator<T>& first, const Operator<T>& second);
  std::string name() const override { return "PairedRows"; }
  std::size_t scratch_bytes(const Context& ctx) const override;

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;
  /// PairedSum of the rows' normal operators.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;
};

/// PairedRows of the first and the second half of the operators, each of which is made in the same way.
template <typename T>
Operator<T> paired_rows(const std::vector<Operator<T>>& rows);

}  // namespace larmor
