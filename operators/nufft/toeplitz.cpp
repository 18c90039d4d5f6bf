#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/toeplitz.hpp>
#include <larmor/operators/nufft/toeplitz_kernel.hpp>

#include <cmath>
#include <numbers>

namespace larmor {
namespace nufft {

ToeplitzSizes::ToeplitzSizes(const Shape& shape, ToeplitzForm form)
    : dims(shape.rank()), parities(form == ToeplitzForm::low_memory ? 2 : 1) {
  if (dims < 1 || dims > 3)
    throw internal_error("Toeplitz: image of shape {}, expected 1 to 3 axes", shape.to_string());
  for (int a = 0; a < dims; ++a) {
    image[a] = shape[dims - 1 - a];
    padded[a] = image[a] > 1 ? fast_fft_size(2 * image[a]) : 1;
    const bool outermost = a == dims - 1;
    grid[a] = outermost ? image[a] : padded[a] > 1 ? padded[a] / parities : 1;
  }
}

Index ToeplitzSizes::buffer_size(int lanes, std::size_t value_bytes) const {
  const Index block = std::max<Index>(lanes, 64 / static_cast<Index>(value_bytes));
  return (std::max({padded[0], padded[1], padded[2]}) * block + 7) / 8 * 8;
}

std::size_t ToeplitzSizes::scratch_bytes(int lanes, int threads, std::size_t value_bytes) const {
  return Arena::rounded(static_cast<std::size_t>(grid_cells() * lanes) * value_bytes) +
         Arena::rounded(static_cast<std::size_t>(threads * 2 * buffer_size(lanes, value_bytes)) *
                        value_bytes);
}

template <typename T>
ToeplitzKernel<T>::ToeplitzKernel(const Shape& image, ToeplitzForm form, Spectrum spectrum, Index batch)
    : sizes_(image, form), form_(form), spectrum_(std::move(spectrum)) {
  const auto& s = sizes_;
  for (Index first = 0; first < std::max<Index>(1, batch);) {
    const int lanes = next_lanes<T>(batch - first);
    first += lanes;
    Passes& p = passes_[lanes == 1 ? 0 : lanes == 4 ? 1 : 2];
    if (p.x.length() > 0) continue;
    p.x = LinePass<T>(s.dims == 1 ? s.padded[0] : s.grid[0], s.image[0], 0, lanes);
    if (s.dims == 3) p.y = LinePass<T>(s.grid[1], s.image[1], 0, s.grid[0] * lanes);
    if (s.dims > 1) {
      const Index inner = s.grid[0] * (s.dims == 3 ? s.grid[1] : 1) * lanes;
      p.outer = LinePass<T>(s.outer(), s.image[s.dims - 1], 0, inner);
    }
  }
  for (int a = 0; a + 1 < s.dims; ++a)
    for (Index n = 0; n < s.image[a]; ++n)
      phase_[a].push_back(C(std::polar(
          1.0, -2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(s.padded[a]))));
}

template <typename T>
std::size_t ToeplitzKernel<T>::scratch_bytes(const Context& ctx, Index batch) const {
  return sizes_.scratch_bytes(next_lanes<T>(batch), ctx.threads(), sizeof(C));
}

// Multiplies a block of transformed lines [count][length], `first` values into the plane of inner
// frequencies, with the spectrum.
template <typename T>
void ToeplitzKernel<T>::multiply(C* lines, Index first, Index count, int lanes, int parity_x,
                                 int parity_y) const {
  const auto& s = sizes_;
  const Index length = s.outer();
  const Index step_x = s.dims > 1 && s.padded[0] > 1 ? s.parities : 1;
  const Index step_y = s.dims > 2 && s.padded[1] > 1 ? s.parities : 1;
  for (Index v = 0; v < count; ++v) {
    const Index cell = (first + v) / lanes;
    const Index fx = s.dims == 1 ? 0 : step_x * (cell % s.grid[0]) + parity_x;
    const Index fy = s.dims == 3 ? step_y * (cell / s.grid[0]) + parity_y : 0;
    const T* q = spectrum_->data() + (s.dims == 3 ? fy * s.padded[0] + fx : fx) * length;
    C* line = lines + v * length;
    for (Index e = 0; e < length; ++e) line[e] *= q[e];
  }
}

template class ToeplitzKernel<float>;
template class ToeplitzKernel<double>;

namespace {

// Blocks of coils, as many as there are lanes at a time.
template <typename T, typename Body>
void for_coil_blocks(Index coils, const Body& body) {
  for (Index first = 0; first < coils;) {
    const int lanes = next_lanes<T>(coils - first);
    const Index count = std::min<Index>(lanes, coils - first);
    body(first, count, lanes);
    first += count;
  }
}

}  // namespace
}  // namespace nufft

template <typename T>
Toeplitz<T>::Toeplitz(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                      Index batch, double tolerance, bool scaled, ToeplitzForm form, Context& ctx)
    : image_(image_shape) {
  const double factor = scaled ? 1 / static_cast<double>(image_shape.size()) : 1.0;
  auto spectrum = std::make_shared<const Array<T>>(
      nufft::toeplitz_spectrum<T>(trajectory, density, image_shape, tolerance, factor, ctx));
  kernel_ = std::make_shared<const nufft::ToeplitzKernel<T>>(image_shape, form, std::move(spectrum), batch);
  set_batch(batch);
}

template <typename T>
Toeplitz<T> Toeplitz<T>::with(Index batch, ToeplitzForm form) const {
  Toeplitz other;
  other.image_ = image_;
  other.kernel_ = std::make_shared<const nufft::ToeplitzKernel<T>>(image_, form, kernel_->spectrum(), batch);
  other.set_batch(batch);
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
  return nufft::ToeplitzSizes(image_shape, form)
      .scratch_bytes(nufft::next_lanes<T>(std::max<Index>(1, batch)), ctx.threads(), sizeof(Scalar));
}
template <typename T>
std::size_t Toeplitz<T>::table_bytes(const Shape& image_shape) {
  return static_cast<std::size_t>(nufft::ToeplitzSizes(image_shape, ToeplitzForm::padded).frequencies()) *
         sizeof(T);
}
template <typename T>
std::size_t Toeplitz<T>::setup_bytes(const Shape& image_shape, Index samples, double tolerance,
                                     const Context& ctx) {
  return nufft::toeplitz_spectrum_setup_bytes(image_shape, samples, tolerance, ctx);
}

template <typename T>
void Toeplitz<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  const auto& s = kernel_->sizes();
  const Index pixels = s.pixels(), width = s.image[0];
  nufft::for_coil_blocks<T>(std::max<Index>(1, batch_), [&](Index first, Index count, int lanes) {
    const Scalar* in = x.data() + first * pixels;
    Scalar* out = y.data() + first * pixels;
    kernel_->run(
        lanes,
        [&](Index row, Scalar* lines, Index pitch) {
          for (Index c = 0; c < lanes; ++c) {
            if (c < count)
              std::copy_n(in + c * pixels + row * width, width, lines + c * pitch);
            else
              std::fill_n(lines + c * pitch, width, Scalar(0));
          }
        },
        [&](Index row, const Scalar* lines, Index pitch, bool is_first) {
          const bool add = !is_first || write == Write::accumulate;
          for (Index c = 0; c < count; ++c) {
            Scalar* to = out + c * pixels + row * width;
            for (Index i = 0; i < width; ++i)
              to[i] = add ? to[i] + lines[c * pitch + i] : lines[c * pitch + i];
          }
        },
        ctx);
  });
}

template <typename T>
void Toeplitz<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  do_apply(y, x, ctx, write);
}

template <typename T>
SenseToeplitz<T>::SenseToeplitz(const Toeplitz<T>& toeplitz, const CoilMaps<T>& maps)
    : OperatorBase<SenseToeplitz<T>, T>(maps.domain(), maps.domain()),
      toeplitz_(std::make_shared<const Toeplitz<T>>(toeplitz)),
      maps_(std::make_shared<const CoilMaps<T>>(maps)) {
  if (!(toeplitz.domain() == maps.codomain()))
    throw internal_error("SenseToeplitz: Toeplitz on {}, but maps of shape {}", toeplitz.domain().to_string(),
                         maps.codomain().to_string());
}

template <typename T>
std::size_t SenseToeplitz<T>::scratch_bytes(const Context& ctx) const {
  return toeplitz_->scratch_bytes(ctx);
}
template <typename T>
std::size_t SenseToeplitz<T>::table_bytes() const {
  return toeplitz_->table_bytes() + maps_->table_bytes();
}

template <typename T>
void SenseToeplitz<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  const auto& kernel = *toeplitz_->kernel_;
  const auto& s = kernel.sizes();
  const Index pixels = s.pixels(), width = s.image[0], coils = maps_->codomain()[0];
  nufft::for_coil_blocks<T>(coils, [&](Index first, Index count, int lanes) {
    const Scalar* maps = maps_->maps().data() + first * pixels;
    kernel.run(
        lanes,
        [&](Index row, Scalar* lines, Index pitch) {
          const Scalar* in = x.data() + row * width;
          for (Index c = 0; c < lanes; ++c) {
            Scalar* line = lines + c * pitch;
            if (c >= count) {
              std::fill_n(line, width, Scalar(0));
              continue;
            }
            const Scalar* m = maps + c * pixels + row * width;
            for (Index i = 0; i < width; ++i)
              line[i] = Scalar(m[i].real() * in[i].real() - m[i].imag() * in[i].imag(),
                               m[i].real() * in[i].imag() + m[i].imag() * in[i].real());
          }
        },
        [&](Index row, const Scalar* lines, Index pitch, bool is_first) {
          Scalar* out = y.data() + row * width;
          if (is_first && first == 0 && write == Write::overwrite) std::fill(out, out + width, Scalar(0));
          for (Index c = 0; c < count; ++c) {
            const Scalar* m = maps + c * pixels + row * width;
            const Scalar* line = lines + c * pitch;
            for (Index i = 0; i < width; ++i)
              out[i] += Scalar(m[i].real() * line[i].real() + m[i].imag() * line[i].imag(),
                               m[i].real() * line[i].imag() - m[i].imag() * line[i].real());
          }
        },
        ctx);
  });
}

template <typename T>
void SenseToeplitz<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  do_apply(y, x, ctx, write);
}

template class Toeplitz<float>;
template class Toeplitz<double>;
template class SenseToeplitz<float>;
template class SenseToeplitz<double>;

}  // namespace larmor
