#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>

#include <limits>

namespace larmor {

void require_size(const std::string& function, Index expected, Index found) {
  if (expected != found)
    throw internal_error("{}: vector of {} elements, expected {}", function, found, expected);
}

Index drawn(Index iteration, int axis, Index bound) {
  // A digital net in base 2 with reversed digits; the last digits select the grid of the finest details: y
  // runs through the integers, x through their images under Pascal's triangle modulo 2 (the Faure sequence),
  // z through their Gray code. The odd factor keeps this property and separates successive shifts for coarse
  // details too.
  auto bits = static_cast<std::uint64_t>(iteration);
  if (axis == 0) {
    bits ^= bits >> 1;
  } else if (axis == 2) {
    // Bit k becomes the sum of all bits n with binomial(n, k) odd: k's binary digits are among those of n.
    bits ^= (bits >> 1) & 0x5555555555555555U;
    bits ^= (bits >> 2) & 0x3333333333333333U;
    bits ^= (bits >> 4) & 0x0f0f0f0f0f0f0f0fU;
    bits ^= (bits >> 8) & 0x00ff00ff00ff00ffU;
    bits ^= (bits >> 16) & 0x0000ffff0000ffffU;
    bits ^= bits >> 32;
  }
  return static_cast<Index>(bits * 0x9e3779b97f4a7c15U % static_cast<std::uint64_t>(bound));
}

template <typename T>
double GroupNorm<T>::value(View<const Scalar> z, Context& ctx) const {
  require_size(name(), groups_.outer * groups_.joint * groups_.inner, z.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  Scratch scratch(ctx);
  auto roots = scratch.take<Scalar>({groups_.outer * groups_.inner});
  for_each_in_rows(ctx, groups_.outer, groups_.inner,
                   RootsOfGroupNorms<T>{groups_, complex_values(z.data()), complex_values(roots.data())});
  return squared_norm<T>(roots, ctx);
}
template <typename T>
void GroupNorm<T>::apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx, Index) const {
  require_size(name(), groups_.outer * groups_.joint * groups_.inner, z.size());
  require_size(name(), z.size(), out.size());
  for_each_in_rows(
      ctx, groups_.outer, groups_.inner,
      ShrinkGroups<T>{groups_, static_cast<T>(weight), complex_values(z.data()), complex_values(out.data())});
}
template <typename T>
std::size_t GroupNorm<T>::scratch_bytes(const Context&) const {
  return Scratch::bytes<Scalar>({groups_.outer * groups_.inner});
}

template <typename T>
double RealIndicator<T>::value(View<const Scalar> z, Context& ctx) const {
  require_size(name(), size_, z.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  Scratch scratch(ctx);
  auto projected = scratch.take<Scalar>({size_});
  apply(1, z, projected, ctx);
  axpy<T>(-1, z, projected, ctx);
  return max_magnitude<T>(projected, ctx) > 0 ? std::numeric_limits<double>::infinity() : 0;
}
template <typename T>
void RealIndicator<T>::apply(double, View<const Scalar> z, View<Scalar> out, Context& ctx, Index) const {
  require_size(name(), size_, z.size());
  require_size(name(), size_, out.size());
  for_each(ctx, size_, ProjectReal<T>{positive_, complex_values(z.data()), complex_values(out.data())});
}
template <typename T>
std::size_t RealIndicator<T>::scratch_bytes(const Context&) const {
  return Scratch::bytes<Scalar>({size_});
}

template <typename T>
Index SeparableSum<T>::size() const {
  Index sum = 0;
  for (const Part& part : parts_) sum += part.size;
  return sum;
}
template <typename T>
double SeparableSum<T>::value(View<const Scalar> z, Context& ctx) const {
  require_size(name(), size(), z.size());
  double sum = 0;
  Index offset = 0;
  for (const Part& part : parts_) {
    sum += part.factor * part.function->value({z.data() + offset, {part.size}, z.device()}, ctx);
    offset += part.size;
  }
  return sum;
}
template <typename T>
void SeparableSum<T>::apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
                            Index iteration) const {
  require_size(name(), size(), z.size());
  require_size(name(), size(), out.size());
  Index offset = 0;
  for (const Part& part : parts_) {
    part.function->apply(weight * part.factor, {z.data() + offset, {part.size}, z.device()},
                         {out.data() + offset, {part.size}, out.device()}, ctx, iteration);
    offset += part.size;
  }
}
template <typename T>
std::size_t SeparableSum<T>::scratch_bytes(const Context& ctx) const {
  std::size_t most = 0;
  for (const Part& part : parts_) most = std::max(most, part.function->scratch_bytes(ctx));
  return most;
}

#define LARMOR_INSTANTIATE(T)      \
  template class GroupNorm<T>;     \
  template class RealIndicator<T>; \
  template class SeparableSum<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
