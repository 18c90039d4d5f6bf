#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/cuda/elementwise.hpp>

namespace larmor {
namespace {
constexpr Index chunk = 4096;
}

template <typename T>
CoilMaps<T>::CoilMaps(View<const Scalar> maps) : CoilMaps(clone(maps)) {}

template <typename T>
CoilMaps<T>::CoilMaps(Array<Scalar> maps)
    : CoilMaps(std::make_shared<const Array<Scalar>>(std::move(maps))) {}

template <typename T>
CoilMaps<T>::CoilMaps(std::shared_ptr<const Array<Scalar>> maps) : maps_(std::move(maps)) {
  const Shape& shape = maps_->shape();
  if (shape.rank() < 2)
    throw usage_error("CoilMaps: maps of shape {}, expected [coil, (z,) y, x]", shape.to_string());
  this->set_shapes(shape.drop_front(1), shape);
}

template <typename T>
CoilMaps<T> CoilMaps<T>::coils(Index first, Index count) const {
  if (first < 0 || count < 1 || first + count > this->codomain()[0])
    throw usage_error("CoilMaps: coils {} to {} of {}", first, first + count - 1, this->codomain()[0]);
  CoilMaps part(*this);
  part.first_ = first_ + first;
  part.set_shapes(this->domain(), this->domain().prepend(count));
  return part;
}

template <typename T>
std::size_t CoilMaps<T>::table_bytes() const {
  return maps().bytes();
}

template <typename T>
void CoilMaps<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  const Index pixels = x.size(), coils = this->codomain()[0];
  const Scalar* const all = maps().data();
  if constexpr (cuda::built)
    if (ctx.on_gpu())
      return cuda::coil_multiply<T>(all, x.data(), y.data(), pixels, coils, write == Write::accumulate,
                                    ctx.stream());
  parallel_for(ctx, pixels, chunk, [&](Index begin, Index end, int) {
    for (Index coil = 0; coil < coils; ++coil) {
      const Scalar* m = all + coil * pixels;
      Scalar* out = y.data() + coil * pixels;
      for (Index i = begin; i < end; ++i) {
        const Scalar a = m[i], b = x[i];
        const Scalar product(a.real() * b.real() - a.imag() * b.imag(),
                             a.real() * b.imag() + a.imag() * b.real());
        out[i] = write == Write::accumulate ? out[i] + product : product;
      }
    }
  });
}

template <typename T>
void CoilMaps<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  const Index pixels = x.size(), coils = this->codomain()[0];
  const Scalar* const all = maps().data();
  if constexpr (cuda::built)
    if (ctx.on_gpu())
      return cuda::coil_combine<T>(all, y.data(), x.data(), pixels, coils, write == Write::accumulate,
                                   ctx.stream());
  parallel_for(ctx, pixels, chunk, [&](Index begin, Index end, int) {
    if (write == Write::overwrite) std::fill(x.data() + begin, x.data() + end, Scalar(0));
    for (Index coil = 0; coil < coils; ++coil) {
      const Scalar* m = all + coil * pixels;
      const Scalar* in = y.data() + coil * pixels;
      for (Index i = begin; i < end; ++i) {
        const Scalar a = m[i], b = in[i];
        x[i] += Scalar(a.real() * b.real() + a.imag() * b.imag(), a.real() * b.imag() - a.imag() * b.real());
      }
    }
  });
}

template class CoilMaps<float>;
template class CoilMaps<double>;

}  // namespace larmor
