#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// (A₁ x, A₂ x, …), one domain; the codomain is flat: [sum of the codomains' sizes].
template <typename T>
class VStack final : public OperatorOfParts<VStack<T>, T, OperatorBase<VStack<T>, T>> {
 public:
  using Scalar = std::complex<T>;
  /// codomain: location of its arrays. Those in page-locked host memory go through scratch memory, one row at
  /// a time.
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

/// (A₁ x₁, A₂ x₂, …) on flat domain and codomain: [sum of the sizes]. A GPU works on two blocks at a time if
/// they need little scratch memory, because small ones leave multiprocessors idle.
template <typename T>
class BlockDiag final : public OperatorOfParts<BlockDiag<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// The blocks in the order of their places.
  explicit BlockDiag(const std::vector<Operator<T>>& blocks);
  std::string name() const override { return "BlockDiag"; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  /// For `blocks` blocks of which each needs `of_block` bytes.
  static std::size_t scratch_bytes(std::size_t of_block, Index blocks, const Context& ctx);

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

}  // namespace larmor
