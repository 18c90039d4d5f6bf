#include <larmor/core/format_error.hpp>
#include <larmor/operators/ranks.hpp>

namespace larmor {
namespace {

// out = Σ over the ranks of what `own` makes of `in`, or out += that.
template <typename T>
void sum(Communicator& ranks, const LinearOperator<T>& own, Direction way, View<const std::complex<T>> in,
         View<std::complex<T>> out, Context& ctx, Write write) {
  Scratch scratch(ctx);
  const auto part = write == Write::accumulate ? scratch.take<std::complex<T>>(out.shape()) : out;
  own.apply(way, in, part, ctx);
  ranks.all_reduce(part);
  if (write == Write::accumulate) axpy<T>(1, part, out, ctx);
}

}  // namespace

template <typename T>
SumOverRanks<T>::SumOverRanks(const LinearOperator<T>& own, std::shared_ptr<Communicator> ranks)
    : OperatorOfParts<SumOverRanks<T>, T>(own, own.domain(), own.codomain()), ranks_(std::move(ranks)) {}

template <typename T>
std::size_t SumOverRanks<T>::scratch_bytes(const Context& ctx) const {
  return std::max(Scratch::bytes<Scalar>(this->domain()), Scratch::bytes<Scalar>(this->codomain())) +
         this->inner().scratch_bytes(ctx);
}

template <typename T>
void SumOverRanks<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                          Write write) const {
  sum<T>(*ranks_, this->inner(), way, in, out, ctx, write);
}

template <typename T>
RowsOfRank<T>::RowsOfRank(const LinearOperator<T>& own, std::shared_ptr<Communicator> ranks)
    : OperatorOfParts<RowsOfRank<T>, T, OperatorBase<RowsOfRank<T>, T>>(own, own.domain(), own.codomain()),
      ranks_(std::move(ranks)) {}

template <typename T>
std::size_t RowsOfRank<T>::scratch_bytes(const Context& ctx) const {
  return Scratch::bytes<Scalar>(this->domain()) + this->inner().scratch_bytes(ctx);
}

template <typename T>
void RowsOfRank<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  this->inner().apply(x, y, ctx, write);
}

template <typename T>
void RowsOfRank<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  sum<T>(*ranks_, this->inner(), Direction::adjoint, y, x, ctx, write);
}

template <typename T>
OperatorPtr<T> RowsOfRank<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  return SumOverRanks<T>(this->inner().normal(options, ctx), ranks_).share();
}

template <typename T>
Slices<T>::Slices(const Shape& domain, Index first, Index count) : first_(first) {
  if (domain.rank() < 1 || first < 0 || count < 1 || first + count > domain[0])
    throw usage_error("Slices: entries {} to {} of {}", first, first + count - 1, domain.to_string());
  Shape part = domain;
  part[0] = count;
  this->set_shapes(domain, part);
}

template <typename T>
void Slices<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  const bool forward = way == Direction::forward, add = write == Write::accumulate;
  const Index count = this->codomain()[0];
  const auto from = forward ? in.slices(first_, count) : in;
  const auto to = forward ? out : out.slices(first_, count);
  if (!forward && !add) fill<T>(out, 0, ctx);
  if (add)
    axpy<T>(1, from, to, ctx);
  else
    copy<T>(from, to, ctx);
}

template class SumOverRanks<float>;
template class SumOverRanks<double>;
template class RowsOfRank<float>;
template class RowsOfRank<double>;
template class Slices<float>;
template class Slices<double>;

}  // namespace larmor
