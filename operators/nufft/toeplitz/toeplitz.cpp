#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_spectrum.hpp>

#include <algorithm>

namespace larmor {
template <typename T>
Toeplitz<T>::Toeplitz(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                      Index batch, double tolerance, bool scaled, ToeplitzForm form, Context& ctx,
                      Index pixels)
    : image_(image_shape) {
  const double factor = scaled ? 1 / static_cast<double>(pixels > 0 ? pixels : image_shape.size()) : 1.0;
  auto spectrum = std::make_shared<const Array<T>>(
      nufft::ToeplitzSpectra<T>(trajectory, image_shape, tolerance, ctx).of(density, factor, ctx));
  kernel_ = nufft::make_toeplitz_kernel<T>(image_shape, form, std::move(spectrum), batch, ctx);
  set_batch(batch);
}

template <typename T>
Toeplitz<T> Toeplitz<T>::with(Index batch, ToeplitzForm form, const Context& ctx) const {
  Toeplitz other;
  other.image_ = image_;
  other.kernel_ = nufft::make_toeplitz_kernel<T>(image_, form, kernel_->spectrum(), batch, ctx);
  other.set_batch(batch);
  return other;
}

template <typename T>
Toeplitz<double> Toeplitz<T>::in_double(const Context& ctx) const {
  Toeplitz<double> other;
  other.image_ = image_;
  const auto here = copied_to(Device::cpu(), kernel_->spectrum()->view());
  auto spectrum =
      std::make_shared<const Array<double>>(moved_to(ctx.device(), converted<double>(here.view())));
  other.kernel_ = nufft::make_toeplitz_kernel<double>(image_, form(), std::move(spectrum),
                                                      std::max<Index>(1, batch_), ctx);
  other.set_batch(batch_);
  return other;
}

template <typename T>
void Toeplitz<T>::set_batch(Index batch) {
  batch_ = batch;
  const Shape shape = batch > 0 ? image_.prepend(batch) : image_;
  this->set_shapes(shape, shape);
}

template <typename T>
ToeplitzForm Toeplitz<T>::form() const {
  return kernel_->form();
}
template <typename T>
std::size_t Toeplitz<T>::scratch_bytes(const Context& ctx) const {
  return kernel_->scratch_bytes(ctx, std::max<Index>(1, batch_));
}
template <typename T>
std::size_t Toeplitz<T>::table_bytes() const {
  return kernel_->spectrum()->view().bytes();
}
template <typename T>
std::size_t Toeplitz<T>::scratch_bytes(const Shape& image_shape, Index batch, ToeplitzForm form,
                                       const Context& ctx) {
  return nufft::toeplitz_scratch_bytes<T>(image_shape, form, std::max<Index>(1, batch), ctx);
}
template <typename T>
std::size_t Toeplitz<T>::table_bytes(const Shape& image_shape, const Context& ctx) {
  const nufft::ToeplitzSizes sizes(image_shape, ToeplitzForm::padded, ctx.device());
  return static_cast<std::size_t>(sizes.frequencies()) * sizeof(T);
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
    : TwoWayOperator<SenseToeplitz<T>, T>(maps.domain(), maps.domain()),
      toeplitz_(std::make_shared<const Toeplitz<T>>(toeplitz)),
      maps_(std::make_shared<const CoilMaps<T>>(maps)) {
  const Shape& part = maps.box().extent;
  if (!(toeplitz.domain() == maps.codomain()) && !(toeplitz.domain() == part.prepend(maps.codomain()[0])))
    throw internal_error("SenseToeplitz: Toeplitz on {}, but maps of shape {}, not zero in {}",
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
  const Shape& image = this->domain();
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
