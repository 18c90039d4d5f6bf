#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_spectrum.hpp>

#include <algorithm>

namespace larmor {
template <typename T>
Toeplitz<T>::Toeplitz(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                      Index batch, double tolerance, bool scaled, Context& ctx, const Shape& part_of)
    : image_(image_shape) {
  const Shape& whole = part_of.rank() > 0 ? part_of : image_shape;
  const double factor = scaled ? 1 / static_cast<double>(whole.size()) : 1.0;
  const nufft::ToeplitzSizes sizes(image_shape, ctx.device(),
                                   nufft::periods_of(trajectory, whole, tolerance, ctx));
  auto spectrum = nufft::ToeplitzSpectra<T>(trajectory, sizes, tolerance, ctx).of(density, factor, ctx);
  auto spectra = std::make_shared<const nufft::Spectra<T>>(
      nufft::by_planes_if_separate<T>({sizes, {}, std::move(spectrum)}, tolerance, ctx));
  kernel_ = nufft::make_toeplitz_kernel<T>(std::move(spectra), batch, ctx);
  set_batch(batch);
}

template <typename T>
Toeplitz<T>::Toeplitz(View<const double> trajectory, View<const Scalar> basis, const Shape& terms,
                      const Shape& image_shape, Index batch, double tolerance, double factor, Context& ctx)
    : image_(image_shape), terms_(terms) {
  if (basis.shape().rank() != 2 || basis.shape()[0] != terms.size() ||
      basis.shape()[1] != trajectory.shape()[0])
    throw usage_error("Toeplitz: basis of shape {}, expected [{}, {}]", basis.shape().to_string(),
                      terms.size(), trajectory.shape()[0]);
  const nufft::ToeplitzSizes sizes(image_shape, ctx.device(),
                                   nufft::periods_of(trajectory, image_shape, tolerance, ctx));
  auto spectra = std::make_shared<const nufft::Spectra<T>>(nufft::by_planes_if_separate(
      nufft::matrix_spectra<T>(trajectory, basis, sizes, tolerance, factor, ctx), tolerance, ctx));
  kernel_ = nufft::make_toeplitz_kernel<T>(std::move(spectra), std::max<Index>(1, batch), ctx);
  set_batch(batch);
}

template <typename T>
Toeplitz<T> Toeplitz<T>::with_batch(Index batch, const Context& ctx) const {
  Toeplitz other;
  other.image_ = image_;
  other.terms_ = terms_;
  other.kernel_ = nufft::make_toeplitz_kernel<T>(kernel_->spectra(), batch, ctx);
  other.set_batch(batch);
  return other;
}

template <typename T>
Toeplitz<double> Toeplitz<T>::in_double(const Context& ctx) const {
  Toeplitz<double> other;
  other.image_ = image_;
  other.terms_ = terms_;
  const auto here = copied_to(Device::cpu(), kernel_->spectra()->values.view());
  auto spectra = std::make_shared<const nufft::Spectra<double>>(
      kernel_->sizes(), kernel_->spectra()->pairs, moved_to(ctx.device(), converted<double>(here.view())));
  other.kernel_ = nufft::make_toeplitz_kernel<double>(std::move(spectra), std::max<Index>(1, batch_), ctx);
  other.set_batch(batch_);
  return other;
}

template <typename T>
Shape Toeplitz<T>::of_terms(const Shape& shape) const {
  Shape all = shape;
  for (int axis = terms_.rank(); axis-- > 0;) all = all.prepend(terms_[axis]);
  return all;
}

template <typename T>
void Toeplitz<T>::set_batch(Index batch) {
  batch_ = batch;
  const Shape shape = of_terms(batch > 0 ? image_.prepend(batch) : image_);
  this->set_shapes(shape, shape);
}

template <typename T>
std::size_t Toeplitz<T>::scratch_bytes(const Context& ctx) const {
  return kernel_->scratch_bytes(ctx, std::max<Index>(1, batch_));
}
template <typename T>
std::size_t Toeplitz<T>::table_bytes() const {
  return kernel_->spectra()->values.view().bytes();
}
template <typename T>
bool Toeplitz<T>::real() const {
  return kernel_->spectra()->pairs.real;
}
template <typename T>
std::size_t Toeplitz<T>::scratch_bytes(const Shape& image_shape, Index batch, const Context& ctx,
                                       Index terms) {
  return nufft::toeplitz_scratch_bytes<T>(image_shape, terms, std::max<Index>(1, batch), ctx);
}
template <typename T>
std::size_t Toeplitz<T>::table_bytes(const Shape& image_shape, const Context& ctx, Index terms,
                                     bool complex_basis) {
  const nufft::ToeplitzSizes sizes(image_shape, ctx.device());
  const nufft::HermitianPairs pairs{terms, !complex_basis};
  return static_cast<std::size_t>(pairs.count() * sizes.frequencies()) * sizeof(T);
}
template <typename T>
std::size_t Toeplitz<T>::setup_bytes(const Shape& image_shape, Index samples, double tolerance,
                                     Context& ctx) {
  return nufft::toeplitz_spectrum_setup_bytes<T>(image_shape, samples, tolerance, ctx);
}

template <typename T>
void Toeplitz<T>::run(Direction, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  kernel_->convolve(in.data(), out.data(), std::max<Index>(1, batch_), write == Write::accumulate, ctx);
}

template <typename T>
SenseToeplitz<T>::SenseToeplitz(const Toeplitz<T>& toeplitz, const CoilMaps<T>& maps)
    : TwoWayOperator<SenseToeplitz<T>, T>(toeplitz.of_terms(maps.domain()), toeplitz.of_terms(maps.domain())),
      toeplitz_(std::make_shared<const Toeplitz<T>>(toeplitz)),
      maps_(std::make_shared<const CoilMaps<T>>(maps)) {
  const Shape& part = maps.box().extent;
  if (!(toeplitz.domain() == toeplitz.of_terms(maps.codomain())) &&
      !(toeplitz.domain() == part.prepend(maps.codomain()[0])))
    throw internal_error(
        "SenseToeplitz: the Toeplitz operator has images {}, but the maps have the shape {} and are nonzero "
        "in {}",
        toeplitz.domain().to_string(), maps.codomain().to_string(), part.to_string());
}

template <typename T>
std::size_t SenseToeplitz<T>::map_scratch_bytes(const CoilMaps<T>& maps, const Context& ctx) {
  return copies_maps(maps, ctx) ? Scratch::bytes<Scalar>(maps.codomain()) : 0;
}
template <typename T>
std::size_t SenseToeplitz<T>::scratch_bytes(const Context& ctx) const {
  return toeplitz_->scratch_bytes(ctx) + map_scratch_bytes(*maps_, ctx);
}
template <typename T>
std::size_t SenseToeplitz<T>::table_bytes() const {
  return toeplitz_->table_bytes() + maps_->table_bytes();
}

template <typename T>
void SenseToeplitz<T>::run(Direction, View<const Scalar> in, View<Scalar> out, Context& ctx,
                           Write write) const {
  Scratch scratch(ctx);
  View<const Scalar> maps = maps_->maps();
  if (copies_maps(*maps_, ctx)) {
    const auto near = scratch.take<Scalar>(maps.shape());
    copy<T>(maps, near, ctx);
    maps = near;
  }
  const Shape& image = maps_->domain();
  const bool whole = toeplitz_->image() == image;
  nufft::ImageWindow window;
  for (int axis = 0; axis < image.rank(); ++axis) {
    const auto place = static_cast<std::size_t>(image.rank() - 1 - axis);
    window.extent[place] = image[axis];
    window.first[place] = whole ? 0 : maps_->box().first[axis];
  }
  toeplitz_->kernel_->sense(in.data(), maps.data(), out.data(), maps.shape()[0], write == Write::accumulate,
                            window, ctx);
}

template class Toeplitz<float>;
template class Toeplitz<double>;
template class SenseToeplitz<float>;
template class SenseToeplitz<double>;

}  // namespace larmor
