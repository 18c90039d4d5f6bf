#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/cuda/nudft.hpp>
#include <larmor/operators/nufft/nudft.hpp>

#include <cmath>
#include <numbers>

namespace larmor {

template <typename T>
struct Nudft<T>::State {
  Array<double> trajectory;  // [samples, dims]
  Array<double> weight;      // √d / √N per sample
  Shape image;
  Index batch;
};

template <typename T>
Nudft<T>::Nudft(View<const double> trajectory, const Shape& image_shape, Index batch,
                View<const double> density, bool scaled) {
  const int dims = image_shape.rank();
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims)
    throw usage_error("Nudft: trajectory of shape {} for an image of shape {}, expected [samples, {}]",
                      trajectory.shape().to_string(), image_shape.to_string(), dims);
  const Index samples = trajectory.shape()[0];
  if (density.size() > 0 && density.size() != samples)
    throw usage_error("Nudft: {} density weights for {} samples", density.size(), samples);
  auto state = std::make_shared<State>();
  state->trajectory = clone(trajectory);
  const auto given = copied_to(Device::cpu(), density);
  Array<double> weight({samples});
  const double scale = scaled ? 1 / std::sqrt(static_cast<double>(image_shape.size())) : 1.0;
  for (Index j = 0; j < samples; ++j) weight[j] = density.size() > 0 ? std::sqrt(given[j]) * scale : scale;
  state->weight = moved_to(trajectory.device(), std::move(weight));
  state->image = image_shape;
  state->batch = batch;
  state_ = state;
  const Shape sample_shape{samples};
  if (batch > 0)
    this->set_shapes(image_shape.prepend(batch), sample_shape.prepend(batch));
  else
    this->set_shapes(image_shape, sample_shape);
}

template <typename T>
std::size_t Nudft<T>::table_bytes() const {
  return state_->trajectory.view().bytes() + state_->weight.view().bytes();
}

namespace {

// Calls visit(pixel, exp(sign 2πi k·x)) for the pixels of one image row. Phases are stepped by multiplication
// and recomputed every few pixels, so that rounding affects only the last digits.
template <typename Visit>
void for_row_phases(const double* k, const Shape& image, Index row, double sign, const Visit& visit) {
  const Index width = image[image.rank() - 1];
  double row_cycles = 0;
  Index rest = row;
  for (int axis = image.rank() - 2, column = 1; axis >= 0; --axis, ++column) {
    row_cycles += std::remainder(k[column] * static_cast<double>(rest % image[axis] - image[axis] / 2), 1.0);
    rest /= image[axis];
  }
  const auto phase = [&](double cycles) { return std::polar(1.0, sign * 2 * std::numbers::pi * cycles); };
  const std::complex<double> step = phase(k[0]);
  std::complex<double> value;
  for (Index x = 0; x < width; ++x) {
    if (x % 16 == 0)
      value = phase(row_cycles + std::remainder(k[0] * static_cast<double>(x - width / 2), 1.0));
    visit(row * width + x, value);
    value = product(value, step);
  }
}

}  // namespace

template <typename T>
void Nudft<T>::on_device(View<const Scalar> in, View<Scalar> out, bool forward, Context& ctx,
                         Write write) const {
  if constexpr (cuda::built) {
    namespace device = nufft::cuda;
    const auto& s = *state_;
    const Index batch = std::max<Index>(1, s.batch), targets = out.size() / batch;
    device::ExactTransform transform{
        s.image.rank(), {1, 1, 1}, s.weight.size(), s.trajectory.data(), s.weight.data()};
    for (int a = 0; a < s.image.rank(); ++a) transform.image[a] = s.image[s.image.rank() - 1 - a];
    Scratch scratch(ctx);
    auto work = scratch.take<std::byte>({static_cast<Index>(device::nudft_scratch_bytes(targets, batch))});
    const bool add = write == Write::accumulate;
    const View<Scalar> sums = add ? scratch.take<Scalar>(out.shape()) : out;
    const auto run = forward ? device::nudft_forward<T> : device::nudft_adjoint<T>;
    run(transform, in.data(), batch, nullptr, targets, sums.data(), work.data(), ctx.stream());
    if (add) axpy<T>(1, sums, out, ctx);
  }
}

template <typename T>
std::size_t Nudft<T>::scratch_bytes(const Context& ctx) const {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) {
      const Index coils = std::max<Index>(1, state_->batch);
      // Fewer targets may need more memory, because their sums are split into more parts.
      const auto bytes = [&](Index targets) {
        return Arena::rounded(nufft::cuda::nudft_scratch_bytes(targets, coils)) +
               Scratch::bytes<Scalar>({coils, targets});
      };
      return std::max(bytes(state_->weight.size()), bytes(state_->image.size()));
    }
  const Index batch = std::max<Index>(1, state_->batch), width = state_->image[state_->image.rank() - 1];
  return Scratch::bytes<std::complex<double>>({ctx.threads(), batch, std::max<Index>(1, width)});
}

template <typename T>
void Nudft<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  if (ctx.on_gpu()) return on_device(x, y, true, ctx, write);
  const auto& s = *state_;
  const Index samples = s.weight.size(), pixels = s.image.size(), batch = std::max<Index>(1, s.batch);
  const Index dims = s.image.rank(), rows = pixels / s.image[s.image.rank() - 1];
  Scratch scratch(ctx);
  const auto sums = scratch.take<std::complex<double>>({ctx.threads(), batch});
  parallel_for(ctx, samples, 4, [&](Index begin, Index end, int thread) {
    std::complex<double>* sum = sums.slice(thread).data();
    for (Index j = begin; j < end; ++j) {
      std::fill(sum, sum + batch, 0.0);
      for (Index row = 0; row < rows; ++row)
        for_row_phases(&s.trajectory[j * dims], s.image, row, -1, [&](Index p, std::complex<double> phase) {
          for (Index b = 0; b < batch; ++b) sum[b] += product(std::complex<double>(x[b * pixels + p]), phase);
        });
      for (Index b = 0; b < batch; ++b) {
        Scalar& out = y[b * samples + j];
        out = Scalar(sum[b] * s.weight[j] + (write == Write::accumulate ? std::complex<double>(out) : 0.0));
      }
    }
  });
}

template <typename T>
void Nudft<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  if (ctx.on_gpu()) return on_device(y, x, false, ctx, write);
  const auto& s = *state_;
  const Index samples = s.weight.size(), pixels = s.image.size(), batch = std::max<Index>(1, s.batch);
  const Index dims = s.image.rank(), width = s.image[s.image.rank() - 1];
  Scratch scratch(ctx);
  const auto sums = scratch.take<std::complex<double>>({ctx.threads(), batch, width});
  parallel_for(ctx, pixels / width, 1, [&](Index row, Index, int thread) {
    std::complex<double>* sum = sums.slice(thread).data();
    std::fill(sum, sum + batch * width, 0.0);
    for (Index j = 0; j < samples; ++j)
      for_row_phases(&s.trajectory[j * dims], s.image, row, +1, [&](Index p, std::complex<double> phase) {
        for (Index b = 0; b < batch; ++b)
          sum[b * width + p - row * width] +=
              product(std::complex<double>(y[b * samples + j]) * s.weight[j], phase);
      });
    for (Index b = 0; b < batch; ++b)
      for (Index i = 0; i < width; ++i) {
        Scalar& out = x[b * pixels + row * width + i];
        out = Scalar(sum[b * width + i] + (write == Write::accumulate ? std::complex<double>(out) : 0.0));
      }
  });
}

template class Nudft<float>;
template class Nudft<double>;

}  // namespace larmor
