#include <larmor/core/parallel.hpp>
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
    throw internal_error("Nudft: trajectory of shape {} for an image of shape {}, expected [samples, {}]",
                         trajectory.shape().to_string(), image_shape.to_string(), dims);
  const Index samples = trajectory.shape()[0];
  if (density.size() > 0 && density.size() != samples)
    throw internal_error("Nudft: {} density weights for {} samples", density.size(), samples);
  auto state = std::make_shared<State>();
  state->trajectory = clone(trajectory);
  state->weight = Array<double>({samples});
  const double scale = scaled ? 1 / std::sqrt(static_cast<double>(image_shape.size())) : 1.0;
  for (Index j = 0; j < samples; ++j)
    state->weight[j] = density.size() > 0 ? std::sqrt(density[j]) * scale : scale;
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

// exp(sign 2πi k·x) for the image pixel with linear index `pixel`.
std::complex<double> phase(const double* k, const Shape& image, Index pixel, double sign) {
  double cycles = 0;
  for (int axis = image.rank() - 1, column = 0; axis >= 0; --axis, ++column) {
    const Index position = pixel % image[axis] - image[axis] / 2;
    pixel /= image[axis];
    cycles += std::remainder(k[column] * static_cast<double>(position), 1.0);
  }
  return std::polar(1.0, sign * 2 * std::numbers::pi * cycles);
}

}  // namespace

template <typename T>
void Nudft<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  const auto& s = *state_;
  const Index samples = s.weight.size(), pixels = s.image.size(), batch = std::max<Index>(1, s.batch);
  const int dims = s.image.rank();
  parallel_for(ctx, samples, 4, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      for (Index b = 0; b < batch; ++b) {
        std::complex<double> sum = 0;
        for (Index p = 0; p < pixels; ++p)
          sum += std::complex<double>(x[b * pixels + p]) * phase(&s.trajectory[j * dims], s.image, p, -1);
        Scalar& out = y[b * samples + j];
        out = Scalar(sum * s.weight[j] + (write == Write::accumulate ? std::complex<double>(out) : 0.0));
      }
    }
  });
}

template <typename T>
void Nudft<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  const auto& s = *state_;
  const Index samples = s.weight.size(), pixels = s.image.size(), batch = std::max<Index>(1, s.batch);
  const int dims = s.image.rank();
  parallel_for(ctx, pixels, 4, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      for (Index b = 0; b < batch; ++b) {
        std::complex<double> sum = 0;
        for (Index j = 0; j < samples; ++j)
          sum += std::complex<double>(y[b * samples + j]) * s.weight[j] *
                 phase(&s.trajectory[j * dims], s.image, p, +1);
        Scalar& out = x[b * pixels + p];
        out = Scalar(sum + (write == Write::accumulate ? std::complex<double>(out) : 0.0));
      }
    }
  });
}

template class Nudft<float>;
template class Nudft<double>;

}  // namespace larmor
