#include <larmor/operators/stacks.hpp>

#include <larmor/core/format_error.hpp>

namespace larmor {
namespace {

template <typename T>
std::size_t most_scratch(const std::vector<OperatorPtr<T>>& operators, const Context& ctx) {
  std::size_t most = 0;
  for (const auto& op : operators) most = std::max(most, op->scratch_bytes(ctx));
  return most;
}

template <typename T>
std::size_t all_tables(const std::vector<OperatorPtr<T>>& operators) {
  std::size_t sum = 0;
  for (const auto& op : operators) sum += op->table_bytes();
  return sum;
}

template <typename T>
std::vector<OperatorPtr<T>> normals(const std::vector<OperatorPtr<T>>& operators,
                                    const NormalOptions& options, Context& ctx) {
  std::vector<OperatorPtr<T>> result;
  for (const auto& op : operators) result.push_back(op->normal(options, ctx));
  return result;
}

// The part of a flat array that belongs to one operator; moves `offset` behind it.
template <typename S>
View<S> part(View<S> flat, Index& offset, const Shape& shape) {
  View<S> result(flat.data() + offset, shape, flat.device());
  offset += shape.size();
  return result;
}

template <typename T>
void require_some(const char* name, const std::vector<OperatorPtr<T>>& operators) {
  if (operators.empty()) throw internal_error("{}: no operators", name);
}

template <typename T>
void require_equal_domains(const char* name, const std::vector<OperatorPtr<T>>& operators) {
  for (const auto& op : operators)
    if (!(op->domain() == operators.front()->domain()))
      throw internal_error("{}: {} takes {}, but {} takes {}", name, operators.front()->name(),
                           operators.front()->domain().to_string(), op->name(), op->domain().to_string());
}

template <typename T>
void require_equal_codomains(const char* name, const std::vector<OperatorPtr<T>>& operators) {
  for (const auto& op : operators)
    if (!(op->codomain() == operators.front()->codomain()))
      throw internal_error("{}: {} gives {}, but {} gives {}", name, operators.front()->name(),
                           operators.front()->codomain().to_string(), op->name(), op->codomain().to_string());
}

// The first writes as told, the others add.
Write after_first(std::size_t i, Write write) {
  return i == 0 ? write : Write::accumulate;
}

}  // namespace

template <typename T>
Sum<T>::Sum(std::vector<OperatorPtr<T>> terms) : terms_(std::move(terms)) {
  require_some("Sum", terms_);
  require_equal_domains("Sum", terms_);
  require_equal_codomains("Sum", terms_);
  this->set_shapes(terms_.front()->domain(), terms_.front()->codomain());
}
template <typename T>
std::size_t Sum<T>::scratch_bytes(const Context& ctx) const {
  return most_scratch(terms_, ctx);
}
template <typename T>
std::size_t Sum<T>::table_bytes() const {
  return all_tables(terms_);
}
template <typename T>
void Sum<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  for (std::size_t i = 0; i < terms_.size(); ++i) terms_[i]->apply(x, y, ctx, after_first(i, write));
}
template <typename T>
void Sum<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  for (std::size_t i = 0; i < terms_.size(); ++i) terms_[i]->adjoint(y, x, ctx, after_first(i, write));
}

template <typename T>
VStack<T>::VStack(std::vector<OperatorPtr<T>> rows, Placement codomain)
    : rows_(std::move(rows)), placement_(codomain) {
  require_some("VStack", rows_);
  require_equal_domains("VStack", rows_);
  Index total = 0;
  for (const auto& row : rows_) total += row->codomain().size();
  this->set_shapes(rows_.front()->domain(), {total});
}
template <typename T>
OperatorPtr<T> VStack<T>::normal(const NormalOptions& options, Context& ctx) const {
  return Sum<T>(normals(rows_, options, ctx)).share();
}
template <typename T>
std::size_t VStack<T>::scratch_bytes(const Context& ctx) const {
  if (!copies_rows(ctx)) return most_scratch(rows_, ctx);
  std::size_t most = 0;
  for (const auto& row : rows_)
    most = std::max(most, Scratch::bytes<Scalar>(row->codomain()) + row->scratch_bytes(ctx));
  return most;
}
template <typename T>
std::size_t VStack<T>::table_bytes() const {
  return all_tables(rows_);
}
template <typename T>
void VStack<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  Index offset = 0;
  for (const auto& row : rows_) {
    const View<Scalar> rows = part(y, offset, row->codomain());
    if (!copies_rows(ctx)) {
      row->apply(x, rows, ctx, write);
      continue;
    }
    Scratch scratch(ctx);
    const auto near = scratch.take<Scalar>(rows.shape());
    if (write == Write::accumulate) copy<T>(rows, near, ctx);
    row->apply(x, near, ctx, write);
    copy<T>(near, rows, ctx);
  }
}
template <typename T>
void VStack<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  Index offset = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    View<const Scalar> rows = part(y, offset, rows_[i]->codomain());
    Scratch scratch(ctx);
    if (copies_rows(ctx)) {
      const auto near = scratch.take<Scalar>(rows.shape());
      copy<T>(rows, near, ctx);
      rows = near;
    }
    rows_[i]->adjoint(rows, x, ctx, after_first(i, write));
  }
}

template <typename T>
BlockDiag<T>::BlockDiag(std::vector<OperatorPtr<T>> blocks) : blocks_(std::move(blocks)) {
  require_some("BlockDiag", blocks_);
  Index in = 0, out = 0;
  for (const auto& block : blocks_) {
    in += block->domain().size();
    out += block->codomain().size();
  }
  this->set_shapes({in}, {out});
}
template <typename T>
OperatorPtr<T> BlockDiag<T>::normal(const NormalOptions& options, Context& ctx) const {
  return BlockDiag(normals(blocks_, options, ctx)).share();
}
template <typename T>
std::size_t BlockDiag<T>::scratch_bytes(const Context& ctx) const {
  return most_scratch(blocks_, ctx);
}
template <typename T>
std::size_t BlockDiag<T>::table_bytes() const {
  return all_tables(blocks_);
}
template <typename T>
void BlockDiag<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  Index from = 0, to = 0;
  for (const auto& block : blocks_)
    block->apply(part(x, from, block->domain()), part(y, to, block->codomain()), ctx, write);
}
template <typename T>
void BlockDiag<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  Index from = 0, to = 0;
  for (const auto& block : blocks_)
    block->adjoint(part(y, from, block->codomain()), part(x, to, block->domain()), ctx, write);
}

template <typename T>
HStack<T>::HStack(std::vector<OperatorPtr<T>> columns) : columns_(std::move(columns)) {
  require_some("HStack", columns_);
  require_equal_domains("HStack", columns_);
  require_equal_codomains("HStack", columns_);
  this->set_shapes(columns_.front()->domain().prepend(static_cast<Index>(columns_.size())),
                   columns_.front()->codomain());
}
template <typename T>
std::size_t HStack<T>::scratch_bytes(const Context& ctx) const {
  return most_scratch(columns_, ctx);
}
template <typename T>
std::size_t HStack<T>::table_bytes() const {
  return all_tables(columns_);
}
template <typename T>
void HStack<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i]->apply(x.slice(static_cast<Index>(i)), y, ctx, after_first(i, write));
}
template <typename T>
void HStack<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i]->adjoint(y, x.slice(static_cast<Index>(i)), ctx, write);
}

template <typename T>
Batched<T>::Batched(const LinearOperator<T>& inner, Index count)
    : OperatorBase<Batched<T>, T>(inner.domain().prepend(count), inner.codomain().prepend(count)),
      inner_(inner.share()),
      count_(count) {}
template <typename T>
OperatorPtr<T> Batched<T>::normal(const NormalOptions& options, Context& ctx) const {
  return Batched(*inner_->normal(options, ctx), count_).share();
}
template <typename T>
void Batched<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  for (Index i = 0; i < count_; ++i) inner_->apply(x.slice(i), y.slice(i), ctx, write);
}
template <typename T>
void Batched<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  for (Index i = 0; i < count_; ++i) inner_->adjoint(y.slice(i), x.slice(i), ctx, write);
}

#define LARMOR_INSTANTIATE(T)  \
  template class Sum<T>;       \
  template class VStack<T>;    \
  template class BlockDiag<T>; \
  template class HStack<T>;    \
  template class Batched<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
