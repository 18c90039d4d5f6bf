#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/coils/coil_compression.hpp>
#include <larmor/mri/coils/nlinv.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/operators/reshaped.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/irgnm.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace larmor {
namespace {

using Real = double;
using C = std::complex<Real>;
using Sample = std::complex<float>;

constexpr double nufft_tolerance = 1e-4;  // far below the error of maps from a small, noisy centre

struct Centre {
  Array<double> trajectory;  // cycles per pixel of the low-resolution image
  Array<C> samples;
  Array<C> bands;  // empty: one
};

Centre central_part(View<const double> trajectory, View<const Sample> samples, View<const C> bands,
                    const Shape& image, const Shape& low) {
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
  Centre centre{Array<double>({size, dims}), Array<C>({coils, size}), {}};
  if (bands.size() > 0) centre.bands = Array<C>({size, bands.shape()[1]});
  for (Index i = 0; i < size; ++i) {
    const Index j = chosen[static_cast<std::size_t>(i)];
    for (Index axis = 0; axis < dims; ++axis) centre.trajectory[i * dims + axis] = scaled(j, axis);
    for (Index c = 0; c < coils; ++c) centre.samples[c * size + i] = samples[c * count + j];
    if (bands.size() > 0)
      std::copy_n(bands.slice(j).data(), bands.shape()[1], centre.bands.data() + i * bands.shape()[1]);
  }
  return centre;
}

// 1 / (1 + s|k|²)^p at the points of centred k-space; k in cycles per pixel of the image, but of at least 64
// pixels, because sensitivities do not become smoother if an image has fewer pixels.
Array<C> smoothing(const Shape& shape, const Shape& image_shape, const NlinvOptions& options) {
  constexpr Index fewest = 64;
  Array<C> weights(shape);
  for (Index p = 0; p < weights.size(); ++p) {
    double square = 0;
    Index rest = p;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const double k = static_cast<double>(rest % shape[axis] - shape[axis] / 2) /
                       static_cast<double>(std::max(image_shape[axis], fewest));
      square += k * k;
      rest /= shape[axis];
    }
    weights[p] = std::pow(1 + options.smoothness * square, -options.power);
  }
  return weights;
}

/// An image and its coils ĉ, in the memory that the operators read, and the operators.
class BandImage {
 public:
  BandImage(const Shape& coil_images, const Operator<Real>& to_coils, Context& ctx)
      : coils_(std::make_shared<Array<C>>(coil_images, ctx.device())),
        image_(std::make_shared<Array<C>>(coil_images.drop_front(1), ctx.device())),
        multiply_(coils_),
        to_coils_(to_coils),
        // The adjoint of the derivative: coil images to (image, coefficients).
        gradient_(VStack<Real>(
            {larmor::adjoint(multiply_),
             larmor::adjoint(Batched<Real>(Diagonal<Real>(image_), coil_images[0]) * to_coils_)})) {}

  /// x: (image, coefficients).
  void move_to(View<const C> x, View<C> product, Context& ctx) {
    copy<Real>(View<const C>(x.data(), image_->shape(), x.device()), *image_, ctx);
    to_coils_.apply(coefficients(x), *coils_, ctx);
    multiply_.apply(*image_, product, ctx);
  }
  View<const C> coefficients(View<const C> x) const {
    return View<const C>(x.data() + image_->size(), coils_->shape(), x.device());
  }

  const Operator<Real>& gradient() const { return gradient_; }
  const Array<C>& image() const { return *image_; }
  const Array<C>& coils() const { return *coils_; }

 private:
  std::shared_ptr<Array<C>> coils_, image_;
  CoilMaps<Real> multiply_;
  Operator<Real> to_coils_, gradient_;
};

/// ½‖P(ρ · c) − y‖² in the unknowns (ρ, ĉ), flat: an image and the coils' weighted Fourier coefficients, band
/// after band. P is known by PᴴP and Pᴴy, both in units in which the largest eigenvalue of PᴴP is 1.
class Inversion final : public NonlinearLeastSquares<Real> {
 public:
  Inversion(const LinearOperator<Real>& encoding, const Shape& coil_images, double largest, Array<C> data,
            double energy, const Array<C>& coil_weights, Context& ctx)
      : data_(std::move(data)),
        energy_(energy),
        one_(coil_images),
        weights_(batched(coil_weights, coil_images[0], ctx)),
        bands_(made(encoding.domain().size() / coil_images.size(),
                    adjoint(Fft<Real>(coil_images, coil_images.rank() - 1)) * weights_, ctx)),
        // PᴴP in its units; a diagonal of one value, so that it stays a product of operators.
        encoding_(Diagonal<Real>(moved_to(ctx.device(), filled<C>(encoding.domain(), 1 / largest))) *
                  encoding),
        gradient_(gradients(encoding.domain())),
        normal_(gradient_ * encoding_ * larmor::adjoint(gradient_)),
        product_(encoding.domain(), ctx.device()),
        misfit_(encoding.domain(), ctx.device()) {}

  /// ρ = 1, ĉ = 0
  Array<C> start(Context& ctx) const {
    auto x = filled<C>(domain(), 0);
    for (Index b = 0; b < bands(); ++b) std::fill_n(x.data() + b * unknowns(), pixels(), C(1));
    return moved_to(ctx.device(), std::move(x));
  }
  const Shape& domain() const override { return gradient_.codomain(); }
  void move_to(View<const C> x, Context& ctx) override {
    for (Index b = 0; b < bands(); ++b)
      bands_[static_cast<std::size_t>(b)].move_to(
          of_band(x, b), View<C>(product_.data() + b * one_.size(), one_, product_.device()), ctx);
    encoding_.apply(product_, misfit_, ctx);
    const auto [square, linear] = dots<Real>({{product_, misfit_}, {product_, data_}}, ctx);
    residual_squared_ = energy_ + square.real() - 2 * linear.real();
    combine<Real>({{1, data_}, {-1, misfit_}}, misfit_, ctx);
  }
  double residual_squared(Context&) const override { return residual_squared_; }
  void descent(View<C> out, Context& ctx) const override { gradient_.apply(misfit_, out, ctx); }
  const LinearOperator<Real>& normal() const override { return normal_; }

  Index bands() const { return static_cast<Index>(bands_.size()); }
  const BandImage& band(Index b) const { return bands_[static_cast<std::size_t>(b)]; }
  /// ĉ of a band, weighted: the coils' k-space.
  Array<C> coil_kspace(View<const C> x, Index b, Context& ctx) const {
    return weights_.apply(band(b).coefficients(of_band(x, b)), ctx);
  }

 private:
  Index pixels() const { return one_.size() / one_[0]; }
  Index unknowns() const { return one_.size() + pixels(); }
  View<const C> of_band(View<const C> x, Index b) const {
    return View<const C>(x.data() + b * unknowns(), {unknowns()}, x.device());
  }
  std::vector<BandImage> made(Index count, const Operator<Real>& to_coils, Context& ctx) const {
    std::vector<BandImage> bands;
    for (Index b = 0; b < count; ++b) bands.emplace_back(one_, to_coils, ctx);
    return bands;
  }
  Operator<Real> gradients(const Shape& coil_images) const {
    if (bands() == 1) return bands_.front().gradient();
    std::vector<Operator<Real>> blocks;
    for (const BandImage& band : bands_) blocks.push_back(band.gradient());
    return Reshaped<Real>(BlockDiag<Real>(blocks), coil_images, {bands() * unknowns()});
  }
  static Diagonal<Real> batched(const Array<C>& one, Index coils, Context& ctx) {
    Array<C> all(one.shape().prepend(coils));
    for (Index c = 0; c < coils; ++c) std::copy(one.begin(), one.end(), all.data() + c * one.size());
    return Diagonal<Real>(moved_to(ctx.device(), std::move(all)));
  }

  Array<C> data_;
  double energy_, residual_squared_ = 0;
  Shape one_;  // coil images of a band
  Diagonal<Real> weights_;
  std::vector<BandImage> bands_;
  Operator<Real> encoding_, gradient_, normal_;
  Array<C> product_, misfit_;
};

// Maps of a band on the image's own grid.
Array<Sample> normalised_maps(const Inversion& inversion, View<const C> solution, Index band,
                              const Shape& image_shape, const NlinvOptions& options, Context& ctx) {
  const auto coarse = copied_to(Device::cpu(), inversion.band(band).coils());
  const auto image = copied_to(Device::cpu(), inversion.band(band).image());
  const Shape& low = image.shape();
  const Index coils = coarse.shape()[0];
  const int dims = low.rank();
  // The same k-space, zero-padded, one coil at a time.
  const Pad<Real> pad(low, image_shape);
  const Fft<Real> fft(image_shape, dims);
  Array<Sample> maps(image_shape.prepend(coils));
  const auto kspace = inversion.coil_kspace(solution, band, ctx);
  for (Index c = 0; c < coils; ++c) {
    const auto one = moved_to(Device::cpu(), fft.adjoint(pad.apply(kspace.view().slice(c), ctx), ctx));
    std::transform(one.begin(), one.end(), maps.data() + c * image_shape.size(),
                   [](const C& value) { return Sample(value); });
  }
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
      double squares = 0;
      C seen = 0;
      for (Index c = 0; c < coils; ++c) {
        const C value(maps[c * pixels + p]);
        squares += std::norm(value);
        seen += reference[c] * value;
      }
      C factor = 0;
      if (squares > 0 && signal[static_cast<std::size_t>(nearest)] >= threshold)
        factor = (std::abs(seen) > 0 ? std::conj(seen) / std::abs(seen) : C(1)) / std::sqrt(squares);
      for (Index c = 0; c < coils; ++c) maps[c * pixels + p] = Sample(C(maps[c * pixels + p]) * factor);
    }
  });
  return maps;
}

// The image whose k-space is the centre that is used.
Shape low_grid(const Shape& image_shape, const NlinvOptions& options) {
  const int dims = image_shape.rank();
  const double size = static_cast<double>(options.size > 0 ? options.size : usual_nlinv_size(dims));
  Shape low = image_shape;
  for (int axis = 0; axis < dims; ++axis) {
    const double full = static_cast<double>(image_shape[axis]),
                 fov = options.fov_pixels > 0 ? std::min(options.fov_pixels, full) : full;
    low[axis] = std::min(image_shape[axis], fast_fft_size(static_cast<Index>(std::ceil(size * full / fov))));
  }
  return low;
}

}  // namespace

Index usual_nlinv_size(int dims) {
  return dims == 2 ? 64 : 32;
}

std::size_t nlinv_bytes(const Shape& image_shape, Index samples, Index coils, const NlinvOptions& options,
                        Context& ctx) {
  const Shape low = low_grid(image_shape, options);
  const auto bytes = [&](Index values) { return static_cast<std::size_t>(values * coils) * sizeof(C); };
  const NufftOptions nufft{.tolerance = nufft_tolerance, .batch = coils};
  const std::size_t image = bytes(low.size()), data = bytes(samples), maps = bytes(image_shape.size());
  // The samples exist twice, while Pᴴy is computed.
  const std::size_t adjoint = image + data + Nufft<Real>::scratch_bytes(low, samples, nufft, ctx);
  // The inversion's six images; seven of the iterations, and three between the factors of the normal
  // operator.
  const std::size_t newton = (6 + 7 + 3) * image + Toeplitz<Real>::scratch_bytes(low, coils, ctx);
  // The solution, its coils and k-space, one of these on the image's grid, and the maps.
  const std::size_t normalised = (6 + 1 + 3) * image + 3 * maps / static_cast<std::size_t>(coils) + maps / 2;
  return data + Nufft<Real>::table_bytes(low, samples, nufft, true, ctx) +
         Toeplitz<Real>::table_bytes(low, ctx) + std::max({adjoint, newton, normalised});
}

Array<Sample> nlinv_maps(View<const double> trajectory, View<const Sample> samples, const Shape& image_shape,
                         const NlinvOptions& options, Context& ctx, View<const C> bands) {
  const int dims = image_shape.rank();
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims || samples.shape().rank() != 2 ||
      samples.shape()[1] != trajectory.shape()[0])
    throw usage_error("nlinv_maps: trajectory {} and samples {} for an image of shape {}",
                      trajectory.shape().to_string(), samples.shape().to_string(), image_shape.to_string());
  const Index coils = samples.shape()[0];
  const Shape low = low_grid(image_shape, options);
  Shape fov_shape = image_shape;
  for (int axis = 0; axis < dims; ++axis) {
    const double full = static_cast<double>(image_shape[axis]);
    const double fov = options.fov_pixels > 0 ? std::min(options.fov_pixels, full) : full;
    fov_shape[axis] = static_cast<Index>(std::ceil(static_cast<double>(low[axis]) * fov / full));
  }
  const auto centre = central_part(trajectory, samples, bands, image_shape, low);
  if (centre.trajectory.empty())
    throw input_error(
        "NLINV: the {} central points of k-space have no samples; give coil maps, or combine the coils by "
        "their root sum of squares",
        low.to_string())
        .about("maps,combine");

  // Weighted with the density, PᴴP is near the identity on what was sampled: steps converge quickly, and α
  // has the same effect for any trajectory.
  PipeMenonOptions pipe;
  if (options.fov_pixels > 0) pipe.field_of_view = fov_shape;
  const auto density = pipe_menon(centre.trajectory, low, pipe, ctx);
  auto samples_at_centre = clone(centre.samples);
  for (Index c = 0; c < coils; ++c)
    for (Index j = 0; j < density.size(); ++j)
      samples_at_centre[c * density.size() + j] *= std::sqrt(density[j]);
  const NufftOptions nufft{.tolerance = nufft_tolerance, .batch = coils};
  const Operator<Real> transform =
      centre.bands.empty()
          ? Operator<Real>(Nufft<Real>(centre.trajectory, density, low, nufft, ctx))
          : Operator<Real>(BasisNufft<Real>(centre.trajectory, density, centre.bands, low, nufft, ctx));
  const auto encoding = transform.normal(ctx);
  double samples_energy = 0;
  for (const C& value : samples_at_centre) samples_energy += std::norm(value);
  auto data = transform.adjoint(moved_to(ctx.device(), std::move(samples_at_centre)), ctx);
  const double largest = largest_eigenvalue<Real>(encoding, ctx);
  const double norm = std::sqrt(squared_norm<Real>(data, ctx));
  if (!(norm > 0) || !std::isfinite(norm))
    throw input_error("NLINV: the samples at the centre of k-space are all zero or not finite");
  // The image starts at 1 and the coils at 0. Scaling the data to an image of about 0.4 gives α the same
  // meaning for all scans.
  const Index count = centre.bands.empty() ? 1 : centre.bands.shape()[1];
  const double unit = 0.4 * std::sqrt(static_cast<double>(low.size() * count)) / norm;
  scale<Real>(unit, data, ctx);
  // Pᴴy has a factor 1/‖P‖² for y in units in which P has the norm 1.
  const double energy = unit * unit * largest * samples_energy;

  Inversion inversion(encoding, low.prepend(coils), largest, std::move(data), energy,
                      smoothing(low, image_shape, options), ctx);
  IrgnmOptions newton;
  // More steps would explain noise, if its level is unknown.
  const int usual = options.noise_variance > 0 ? 16 : 8;
  newton.iterations = options.newton_steps > 0 ? options.newton_steps : usual;
  newton.alpha = options.alpha;
  newton.reduction = options.reduction;
  newton.inner_iterations = options.iterations;
  newton.inner_tolerance = 0.01;
  double weights = 0;
  for (const double weight : density) weights += weight;
  newton.residual = unit * std::sqrt(largest * options.noise_variance * static_cast<double>(coils) * weights);
  // Image and coils also fit a part of the noise: the residual may fall below its energy, but then steps gain
  // little.
  newton.least_gain = 0.02;
  const auto solution = irgnm<Real>(inversion, inversion.start(ctx), newton, ctx).x;

  if (centre.bands.empty()) return normalised_maps(inversion, solution, 0, image_shape, options, ctx);
  Array<Sample> maps(image_shape.prepend(coils).prepend(count));
  for (Index b = 0; b < count; ++b) {
    const auto band = normalised_maps(inversion, solution, b, image_shape, options, ctx);
    std::copy(band.begin(), band.end(), maps.view().slice(b).begin());
  }
  return maps;
}

}  // namespace larmor
