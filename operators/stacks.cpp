#include <larmor/core/cuda/runtime.hpp>
#include <larmor/operators/stacks.hpp>

namespace LARMOR_API larmor {
namespace {

// The part of a flat array that belongs to one operator; moves `offset` behind it.
template <typename S>
View<S> part(View<S> flat, Index& offset, const Shape& shape) {
  View<S> result(flat.data() + offset, shape, flat.device());
  offset += shape.size();
  return result;
}

// Two blocks that need at most this many bytes of scratch memory each are computed at a time on a GPU: a
// convolution of all coils of a slice.
constexpr std::size_t small_block = std::size_t{64} << 20;

bool in_pairs(std::size_t of_block, Index blocks, const Context& ctx) {
  return ctx.on_gpu() && blocks > 1 && of_block <= small_block;
}

// The first writes (or accumulates, as requested), the others add.
Write after_first(std::size_t i, Write write) {
  return i == 0 ? write : Write::accumulate;
}

}  // namespace

template <typename T>
VStack<T>::VStack(const std::vector<Operator<T>>& rows, Placement codomain)
    : OperatorOfParts<VStack<T>, T, OperatorBase<VStack<T>, T>>(rows), placement_(codomain) {
  detail::check_parts("VStack", this->parts_, true, false);
  Index total = 0;
  for (const auto& row : this->parts_) total += row->codomain().size();
  this->set_shapes(this->parts_.front()->domain(), {total});
}
template <typename T>
OperatorPtr<T> VStack<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  return Sum<T>(this->normals(options, ctx)).share();
}
template <typename T>
std::size_t VStack<T>::scratch_bytes(const Context& ctx) const {
  if (!copies_rows(ctx)) return VStack::OperatorOfParts::scratch_bytes(ctx);
  std::size_t most = 0;
  for (const auto& row : this->parts_)
    most = std::max(most, Scratch::bytes<Scalar>(row->codomain()) + row->scratch_bytes(ctx));
  return most;
}
template <typename T>
void VStack<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  Index offset = 0;
  for (const auto& row : this->parts_) {
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
  for (std::size_t i = 0; i < this->parts_.size(); ++i) {
    View<const Scalar> rows = part(y, offset, this->parts_[i]->codomain());
    Scratch scratch(ctx);
    if (copies_rows(ctx)) {
      const auto near = scratch.take<Scalar>(rows.shape());
      copy<T>(rows, near, ctx);
      rows = near;
    }
    this->parts_[i]->adjoint(rows, x, ctx, after_first(i, write));
  }
}

template <typename T>
BlockDiag<T>::BlockDiag(const std::vector<Operator<T>>& blocks) : OperatorOfParts<BlockDiag<T>, T>(blocks) {
  detail::check_parts("BlockDiag", this->parts_, false, false);
  Index in = 0, out = 0;
  for (const auto& block : this->parts_) {
    in += block->domain().size();
    out += block->codomain().size();
  }
  this->set_shapes({in}, {out});
}
template <typename T>
OperatorPtr<T> BlockDiag<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  return BlockDiag(this->normals(options, ctx)).share();
}
template <typename T>
std::size_t BlockDiag<T>::scratch_bytes(std::size_t of_block, Index blocks, const Context& ctx) {
  return in_pairs(of_block, blocks, ctx) ? 2 * Arena::rounded(of_block) : of_block;
}
template <typename T>
std::size_t BlockDiag<T>::scratch_bytes(const Context& ctx) const {
  return scratch_bytes(BlockDiag::OperatorOfParts::scratch_bytes(ctx), std::ssize(this->parts_), ctx);
}
template <typename T>
void BlockDiag<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                       Write write) const {
  const bool forward = way == Direction::forward;
  Index from = 0, to = 0;
  const auto next = [&](const LinearOperator<T>& block) {
    const auto here = part(in, from, forward ? block.domain() : block.codomain());
    block.apply(way, here, part(out, to, forward ? block.codomain() : block.domain()), ctx, write);
  };
  if constexpr (cuda::built) {
    const std::size_t of_block = BlockDiag::OperatorOfParts::scratch_bytes(ctx);
    if (in_pairs(of_block, std::ssize(this->parts_), ctx)) {
      cuda::Fork fork(ctx.device().ordinal);
      bool second = false;
      for (const auto& block : this->parts_) {
        fork.use_second(second);
        Scratch of_first(ctx);
        if (second) of_first.take<std::byte>({static_cast<Index>(of_block)});
        next(*block);
        second = !second;
      }
      return;
    }
  }
  for (const auto& block : this->parts_) next(*block);
}

template <typename T>
HStack<T>::HStack(const std::vector<Operator<T>>& columns)
    : OperatorOfParts<HStack<T>, T, OperatorBase<HStack<T>, T>>(columns) {
  detail::check_parts("HStack", this->parts_, true, true);
  this->set_shapes(this->parts_.front()->domain().prepend(static_cast<Index>(this->parts_.size())),
                   this->parts_.front()->codomain());
}
template <typename T>
void HStack<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  for (std::size_t i = 0; i < this->parts_.size(); ++i)
    this->parts_[i]->apply(x.slice(static_cast<Index>(i)), y, ctx, after_first(i, write));
}
template <typename T>
void HStack<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  for (std::size_t i = 0; i < this->parts_.size(); ++i)
    this->parts_[i]->adjoint(y, x.slice(static_cast<Index>(i)), ctx, write);
}

template <typename T>
Batched<T>::Batched(const LinearOperator<T>& inner, Index count)
    : OperatorOfParts<Batched<T>, T>(inner, inner.domain().prepend(count), inner.codomain().prepend(count)),
      count_(count) {}
template <typename T>
OperatorPtr<T> Batched<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  return Batched(this->inner().normal(options, ctx), count_).share();
}
template <typename T>
void Batched<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                     Write write) const {
  for (Index i = 0; i < count_; ++i) this->inner().apply(way, in.slice(i), out.slice(i), ctx, write);
}

#define LARMOR_INSTANTIATE(T)  \
  template class VStack<T>;    \
  template class BlockDiag<T>; \
  template class HStack<T>;    \
  template class Batched<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
