#pragma once

#include <larmor/operators/ranks.hpp>

namespace larmor::test {

/// The rows of all ranks, gathered: as an operator that every rank applies to the same arrays.
template <typename T>
class Gathered final : public OperatorBase<Gathered<T>, T> {
 public:
  using Scalar = std::complex<T>;
  Gathered(RowsOfRank<T> rows, const Shape& codomain, Index first, std::shared_ptr<Communicator> ranks)
      : OperatorBase<Gathered<T>, T>(rows.domain(), codomain),
        rows_(std::move(rows)),
        first_(first),
        ranks_(std::move(ranks)) {}
  std::string name() const override { return "Gathered"; }
  std::size_t scratch_bytes(const Context& ctx) const override {
    return Scratch::bytes<Scalar>(this->codomain()) + rows_.scratch_bytes(ctx);
  }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override {
    Scratch scratch(ctx);
    const auto all = scratch.take<Scalar>(y.shape());
    fill<T>(all, 0, ctx);
    rows_.apply(x, all.slices(first_, rows_.codomain()[0]), ctx);
    ranks_->all_reduce(all);
    write == Write::accumulate ? axpy<T>(1, all, y, ctx) : copy<T>(all, y, ctx);
  }
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override {
    rows_.adjoint(y.slices(first_, rows_.codomain()[0]), x, ctx, write);
  }
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override {
    return rows_.normal(options, ctx);
  }

 private:
  RowsOfRank<T> rows_;
  Index first_;
  std::shared_ptr<Communicator> ranks_;
};

}  // namespace larmor::test
