#include <larmor/operators/ranks.hpp>

namespace LARMOR_API larmor {
namespace {

// out = Σ over the ranks of `own` applied to `in`, or out += that.
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

// The ranks that share the rows of A; null: none.
template <typename T>
static std::shared_ptr<Communicator> ranks_of_rows(const LinearOperator<T>& A) {
  if (const auto* any = dynamic_cast<const Operator<T>*>(&A)) return ranks_of_rows(any->held());
  if (const auto* rows = dynamic_cast<const RowsOfRank<T>*>(&A)) return rows->ranks();
  if (dynamic_cast<const Composition<T>*>(&A) != nullptr)
    for (const OperatorPtr<T>& factor : A.children())
      if (auto found = ranks_of_rows(*factor)) return found;
  return nullptr;
}

template <typename T>
double squared_norm_of_samples(const LinearOperator<T>& A,
                               std::type_identity_t<View<const std::complex<T>>> y, Context& ctx) {
  const double own = squared_norm<T>(y, ctx);
  const auto ranks = ranks_of_rows(A);
  return ranks ? ranks->all_reduce(own) : own;
}
template double squared_norm_of_samples(const LinearOperator<float>&, View<const std::complex<float>>,
                                        Context&);
template double squared_norm_of_samples(const LinearOperator<double>&, View<const std::complex<double>>,
                                        Context&);

template class SumOverRanks<float>;
template class SumOverRanks<double>;
template class RowsOfRank<float>;
template class RowsOfRank<double>;

}  // namespace larmor
