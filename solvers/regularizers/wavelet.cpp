#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

namespace LARMOR_API larmor {
namespace {

// Rows along x of an array of `batch` images.
Index rows_of(const DetailBands& bands, Index batch) {
  return batch * bands.extent[0] * bands.extent[1];
}

template <typename T>
void roll(const DetailBands& bands, Index batch, const Index (&shift)[3], const std::complex<T>* in,
          std::complex<T>* out, Context& ctx) {
  Roll<T> body{{}, {}, complex_values(in), complex_values(out)};
  std::copy(bands.extent, bands.extent + 3, body.extent);
  std::copy(shift, shift + 3, body.shift);
  for_each_in_rows(ctx, rows_of(bands, batch), bands.extent[2], body);
}

}  // namespace

template <typename T>
WaveletNorm<T>::WaveletNorm(const ImageLayout& image, const WaveletL1Options& options)
    : wavelet_(image.shape, image.space,
               {.vanishing_moments = options.vanishing_moments, .levels = options.levels}),
      joint_(options.joint ? image.frames() : 1),
      shifts_(options.shifts) {}

template <typename T>
double WaveletNorm<T>::value(View<const Scalar> z, Context& ctx) const {
  const Shape& shape = wavelet_.domain();
  require_size(name(), shape.size(), z.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  Scratch scratch(ctx);
  auto coefficients = scratch.take<Scalar>(shape), roots = scratch.take<Scalar>({shape.size() / joint_});
  wavelet_.apply(z.reshaped(shape), coefficients, ctx);
  const DetailBands& bands = wavelet_.details();
  for_each_in_rows(
      ctx, rows_of(bands, wavelet_.batch() / joint_), bands.extent[2],
      RootsOfDetailNorms<T>{
          {bands, joint_}, complex_values<T>(coefficients.data()), complex_values<T>(roots.data())});
  return squared_norm<T>(roots, ctx);
}

template <typename T>
void WaveletNorm<T>::apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
                           Index iteration) const {
  const Shape& shape = wavelet_.domain();
  require_size(name(), shape.size(), z.size());
  require_size(name(), shape.size(), out.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  Scratch scratch(ctx);
  auto coefficients = scratch.take<Scalar>(shape), image = scratch.take<Scalar>(shape);
  const DetailBands& bands = wavelet_.details();

  // Shifts beyond the period of the coarsest level would be the same grid again.
  Index shift[3] = {0, 0, 0}, back[3] = {0, 0, 0};
  for (int axis = 0; axis < 3; ++axis) {
    if (!shifts_ || bands.low[axis] == bands.extent[axis]) continue;
    shift[axis] = drawn(iteration, axis, std::min(bands.extent[axis], Index{1} << wavelet_.levels()));
    back[axis] = (bands.extent[axis] - shift[axis]) % bands.extent[axis];
  }
  const bool shifted = shift[0] + shift[1] + shift[2] > 0;
  View<const Scalar> start = z.reshaped(shape);
  if (shifted) {
    roll<T>(bands, wavelet_.batch(), shift, z.data(), image.data(), ctx);
    start = image;
  }
  wavelet_.apply(start, coefficients, ctx);
  for_each_in_rows(
      ctx, rows_of(bands, wavelet_.batch() / joint_), bands.extent[2],
      ShrinkDetails<T>{{bands, joint_}, static_cast<T>(weight), complex_values<T>(coefficients.data())});
  if (!shifted) return wavelet_.adjoint(coefficients, out.reshaped(shape), ctx);
  wavelet_.adjoint(coefficients, image, ctx);
  roll<T>(bands, wavelet_.batch(), back, image.data(), out.data(), ctx);
}

template <typename T>
std::size_t WaveletNorm<T>::scratch_bytes(const Context& ctx) const {
  return 2 * Scratch::bytes<Scalar>(wavelet_.domain()) + wavelet_.scratch_bytes(ctx);
}

template <typename T>
Regularizer<T> wavelet_l1(const ImageLayout& image, const WaveletL1Options& options) {
  auto function = std::make_shared<const WaveletNorm<T>>(image, options);
  if (function->transform().levels() == 0)
    throw usage_error(
        "regularizer wavelet: no axis of the image {} is as long as the filter of {} taps; use a smaller "
        "order",
        image.shape.to_string(), 2 * options.vanishing_moments);
  Regularizer<T> term;
  term.name = "wavelet";
  term.lambda = options.lambda;
  term.function = std::move(function);
  return term;
}

#define LARMOR_INSTANTIATE(T)    \
  template class WaveletNorm<T>; \
  template Regularizer<T> wavelet_l1(const ImageLayout&, const WaveletL1Options&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
