#include <larmor/core/error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coil_compression.hpp>
#include <larmor/mri/density.hpp>
#include <larmor/mri/nlinv.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/conjugate_gradient.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {
namespace {

using Real = double;
using C = std::complex<Real>;
using Sample = std::complex<float>;

struct Centre {
  Array<double> trajectory;  // cycles per pixel of the low-resolution image
  Array<C> samples;
};

Centre central_part(View<const double> trajectory, View<const Sample> samples, const Shape& image,
                    const Shape& low) {
  const Index dims = image.rank(), count = trajectory.shape()[0], coils = samples.shape()[0];
  std::vector<Index> chosen;
  const auto scaled = [&](Index j, Index axis) {
    const int from_end = static_cast<int>(dims - 1 - axis);
    return trajectory[j * dims + axis] * static_cast<double>(image[from_end]) /
           static_cast<double>(low[from_end]);
  };
  for (Index j = 0; j < count; ++j) {
    bool inside = true;
    for (Index axis = 0; axis < dims; ++axis) inside = inside && std::abs(scaled(j, axis)) <= 0.5;
    if (inside) chosen.push_back(j);
  }
  const auto size = static_cast<Index>(chosen.size());
  Centre centre{Array<double>({size, dims}), Array<C>({coils, size})};
  for (Index i = 0; i < size; ++i) {
    const Index j = chosen[static_cast<std::size_t>(i)];
    for (Index axis = 0; axis < dims; ++axis) centre.trajectory[i * dims + axis] = scaled(j, axis);
    for (Index c = 0; c < coils; ++c) centre.samples[c * size + i] = samples[c * count + j];
  }
  return centre;
}

// 1 / (1 + s|k|²)^p at the points of centred k-space; k in cycles per pixel of the image.
Array<C> smoothing(const Shape& shape, const Shape& image_shape, const NlinvOptions& options) {
  Array<C> weights(shape);
  for (Index p = 0; p < weights.size(); ++p) {
    double square = 0;
    Index rest = p;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const double k =
          static_cast<double>(rest % shape[axis] - shape[axis] / 2) / static_cast<double>(image_shape[axis]);
      square += k * k;
      rest /= shape[axis];
    }
    weights[p] = std::pow(1 + options.smoothness * square, -options.power);
  }
  return weights;
}

/// The unknowns (ρ, ĉ) of the inversion, flat, and the linear maps around a point of them.
class Inversion {
 public:
  Inversion(const Shape& pixels, const Shape& image_shape, Index coils, const NlinvOptions& options,
            Context& ctx)
      : pixels_(pixels),
        coils_(coils),
        ctx_(ctx),
        coil_transform_(adjoint_of<Real>(Fft<Real>(pixels.prepend(coils), pixels.rank()))),
        coil_weights_(batched_weights(smoothing(pixels, image_shape, options))),
        unknowns_(filled<C>({pixels.size() * (coils + 1)}, 0)) {
    for (Index p = 0; p < pixels.size(); ++p) unknowns_[p] = 1;
    unknowns_ = moved_to(ctx.device(), std::move(unknowns_));
    start_ = clone(unknowns_);
  }

  View<C> image() { return View<C>(unknowns_.data(), pixels_, ctx_.device()); }
  View<C> coefficients() {
    return View<C>(unknowns_.data() + pixels_.size(), pixels_.prepend(coils_), ctx_.device());
  }
  /// ĉ weighted: the coils' k-space.
  Array<C> coil_kspace() { return coil_weights_.apply(coefficients(), ctx_); }
  Array<C> coils() { return coil_transform_->apply(coil_kspace(), ctx_); }

  /// One step of min ‖y − G(x + h)‖² + α‖x + h − x₀‖², G(ρ, ĉ) = P(ρ · c) linearised; encoding is PᴴP, data
  /// Pᴴy, both in units in which the largest eigenvalue of PᴴP is 1.
  void step(const LinearOperator<Real>& encoding, View<const C> data, double scale, double alpha,
            Index iterations) {
    const CoilMaps<Real> multiply(coils());
    // The adjoint of the derivative: coil images to (image, coefficients).
    const Batched<Real> times_image(Diagonal<Real>(image()), coils_);
    const auto to_coils = times_image * *coil_transform_ * coil_weights_;
    const VStack<Real> gradient({adjoint_of<Real>(multiply), adjoint_of<Real>(to_coils)});
    const Diagonal<Real> unit(moved_to(ctx_.device(), filled<C>(encoding.domain(), scale)));
    const auto normal = gradient * unit * encoding * *adjoint_of<Real>(gradient);

    auto misfit = encoding.apply(multiply.apply(image(), ctx_), ctx_);
    larmor::scale<Real>(-scale, misfit, ctx_);
    axpy<Real>(1, data, misfit, ctx_);
    auto rhs = gradient.apply(misfit, ctx_);
    axpy<Real>(alpha, start_.view(), rhs, ctx_);
    axpy<Real>(-alpha, unknowns_.view(), rhs, ctx_);
    const auto change = conjugate_gradient_normal<Real>(
        normal, rhs, {.lambda = alpha, .norm_squared = 1, .iterations = iterations, .tolerance = 0.01}, ctx_);
    axpy<Real>(1, change.x.view(), unknowns_, ctx_);
  }

 private:
  Diagonal<Real> batched_weights(const Array<C>& one) const {
    Array<C> all(pixels_.prepend(coils_));
    for (Index c = 0; c < coils_; ++c) std::copy(one.begin(), one.end(), all.data() + c * one.size());
    return Diagonal<Real>(moved_to(ctx_.device(), std::move(all)));
  }

  Shape pixels_;
  Index coils_;
  Context& ctx_;
  OperatorPtr<Real> coil_transform_;
  Diagonal<Real> coil_weights_;
  Array<C> unknowns_, start_;
};

}  // namespace

Array<Sample> nlinv_maps(View<const double> trajectory, View<const Sample> samples, const Shape& image_shape,
                         const NlinvOptions& options, Context& ctx) {
  const int dims = image_shape.rank();
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims || samples.shape().rank() != 2 ||
      samples.shape()[1] != trajectory.shape()[0])
    throw internal_error("nlinv_maps: trajectory {} and samples {} for an image of shape {}",
                         trajectory.shape().to_string(), samples.shape().to_string(),
                         image_shape.to_string());
  const Index coils = samples.shape()[0];
  const double size = static_cast<double>(options.size > 0 ? options.size : (dims == 2 ? 64 : 32));
  Shape low = image_shape, fov_shape = image_shape;
  for (int axis = 0; axis < dims; ++axis) {
    const double full = static_cast<double>(image_shape[axis]);
    const double fov = options.fov_pixels > 0 ? std::min(options.fov_pixels, full) : full;
    low[axis] = std::min(image_shape[axis], fast_fft_size(static_cast<Index>(std::ceil(size * full / fov))));
    fov_shape[axis] = static_cast<Index>(std::ceil(static_cast<double>(low[axis]) * fov / full));
  }
  const auto centre = central_part(trajectory, samples, image_shape, low);
  if (centre.trajectory.empty())
    throw input_error(
        "NLINV: no samples lie in the {} central points of k-space; give coil maps with --maps or use "
        "--combine rss",
        low.to_string());

  // Weighted with the density, PᴴP is near the identity on what was sampled: steps converge quickly, and α
  // weighs against the image whatever the trajectory.
  PipeMenonOptions pipe;
  if (options.fov_pixels > 0) pipe.field_of_view = fov_shape;
  const auto density = pipe_menon(centre.trajectory, low, pipe, ctx);
  auto samples_at_centre = clone(centre.samples);
  for (Index c = 0; c < coils; ++c)
    for (Index j = 0; j < density.size(); ++j)
      samples_at_centre[c * density.size() + j] *= std::sqrt(density[j]);
  const Nufft<Real> transform(centre.trajectory, density, low, {.tolerance = 1e-4, .batch = coils}, ctx);
  const auto encoding = transform.normal(ctx);
  auto data = transform.adjoint(moved_to(ctx.device(), std::move(samples_at_centre)), ctx);
  const double largest = largest_eigenvalue(*encoding, ctx);
  const double norm = std::sqrt(squared_norm<Real>(data, ctx));
  if (!(norm > 0) || !std::isfinite(norm))
    throw input_error("NLINV: the samples at the centre of k-space are all zero or not finite");
  // Image and coils start near 1 and 0: data of the size of an image of 0.4 make α mean the same for all
  // scans.
  scale<Real>(0.4 * std::sqrt(static_cast<double>(low.size())) / norm, data, ctx);

  Inversion inversion(low, image_shape, coils, options, ctx);
  double alpha = options.alpha;
  for (int step = 0; step < options.newton_steps; ++step, alpha *= options.reduction) {
    ctx.throw_if_cancelled();
    inversion.step(*encoding, data, 1 / largest, alpha, options.iterations);
    ctx.reporter().progress("nlinv", step + 1, options.newton_steps, "");
  }

  // The coils on the image's own grid: the same k-space, more of it.
  const Pad<Real> pad(low.prepend(coils), image_shape.prepend(coils));
  const Fft<Real> fft(image_shape.prepend(coils), dims);
  auto fine = moved_to(Device::cpu(), fft.adjoint(pad.apply(inversion.coil_kspace(), ctx), ctx));
  const auto coarse = moved_to(Device::cpu(), inversion.coils());
  const auto image = copied_to(Device::cpu(), inversion.image());
  std::vector<double> signal(static_cast<std::size_t>(low.size()));
  auto coil_images = clone(coarse);
  for (Index p = 0; p < low.size(); ++p)
    for (Index c = 0; c < coils; ++c) {
      coil_images[c * low.size() + p] *= image[p];
      signal[static_cast<std::size_t>(p)] += std::norm(coil_images[c * low.size() + p]);
    }
  const double threshold = options.crop * options.crop * *std::max_element(signal.begin(), signal.end());
  Context host = ctx.host();
  const auto reference =
      compression_matrix(converted<Sample>(coil_images.view()).view().reshaped({coils, low.size()}), 1, host);

  auto maps = filled<Sample>(image_shape.prepend(coils), 0);
  const Index pixels = image_shape.size();
  parallel_for(host, pixels, 1 << 12, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      // The nearest pixel of the low-resolution image.
      Index rest = p, nearest = 0, stride = 1;
      for (int axis = dims - 1; axis >= 0; --axis) {
        const Index x = rest % image_shape[axis] - image_shape[axis] / 2;
        const auto moved = static_cast<Index>(
            std::lround(static_cast<double>(x * low[axis]) / static_cast<double>(image_shape[axis])));
        nearest += std::clamp<Index>(moved + low[axis] / 2, 0, low[axis] - 1) * stride;
        stride *= low[axis];
        rest /= image_shape[axis];
      }
      if (signal[static_cast<std::size_t>(nearest)] < threshold) continue;
      double squares = 0;
      C seen = 0;
      for (Index c = 0; c < coils; ++c) {
        squares += std::norm(fine[c * pixels + p]);
        seen += reference[c] * fine[c * pixels + p];
      }
      if (!(squares > 0)) continue;
      const C factor = (std::abs(seen) > 0 ? std::conj(seen) / std::abs(seen) : C(1)) / std::sqrt(squares);
      for (Index c = 0; c < coils; ++c) maps[c * pixels + p] = Sample(fine[c * pixels + p] * factor);
    }
  });
  return maps;
}

}  // namespace larmor
