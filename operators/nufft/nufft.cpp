#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/operators/nufft/error_kernels.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>
#include <random>
#include <set>
#include <vector>

namespace larmor {

namespace {

nufft::PlanOptions plan_options(const NufftOptions& options, Index samples) {
  return {.tolerance = options.tolerance,
          .oversampling = options.oversampling,
          .batch = std::max<Index>(1, options.batch),
          .samples = samples,
          .small_grid = options.small_grid,
          .forward = options.forward,
          .adjoint = options.adjoint,
          .real_samples = options.real_samples,
          .method = options.method,
          .matrix_byte_limit = options.matrix_byte_limit};
}

// Region of a convolution after maps: the bounding box of the maps if it is sufficiently smaller than the
// image.
template <typename T>
Shape convolved_part(const CoilMaps<T>& maps, const Context& ctx) {
  const auto frequencies = [&](const Shape& image) {
    return nufft::ToeplitzSizes(image, ctx.device()).frequencies();
  };
  const Shape &image = maps.domain(), &part = maps.box().extent;
  return !ctx.on_gpu() && frequencies(part) < frequencies(image) ? part : image;
}

}  // namespace

template <typename T>
struct Nufft<T>::State {
  std::shared_ptr<const nufft::Plan<T>> plan;
  Shape image;
  NufftOptions options;
  Array<double> trajectory, density;  // kept for the PSF and the measured error
  Array<T> weights;                   // √d; empty: 1
  double scale = 1;

  // The PSF of the whole image, and of parts of it, is computed once for all forms and numbers of coils.
  mutable std::mutex mutex;
  mutable std::vector<Toeplitz<T>> toeplitz;

  void set_density(View<const double> d, const Device& device) {
    if (d.size() == 0) return;
    const Index samples = plan->samples();
    if (d.size() != samples) throw usage_error("Nufft: {} density weights for {} samples", d.size(), samples);
    const Array<double> given = copied_to(Device::cpu(), d);
    Array<T> roots({samples});
    for (Index j = 0; j < samples; ++j) {
      if (!(given[j] >= 0) || !std::isfinite(given[j]))
        throw input_error("Nufft: density weight {} is {}, expected a finite number that is not negative", j,
                          given[j]);
      roots[j] = static_cast<T>(std::sqrt(given[j]));
    }
    weights = moved_to(device, std::move(roots));
    density = copied_to(device, d);
  }
};

template <typename T>
Nufft<T>::Nufft(View<const double> trajectory, const Shape& image_shape, const NufftOptions& options,
                Context& ctx)
    : Nufft(trajectory, View<const double>(), image_shape, options, ctx) {}

template <typename T>
Nufft<T>::Nufft(View<const double> trajectory, View<const double> density, const Shape& image_shape,
                const NufftOptions& options, Context& ctx) {
  if (options.real_samples && options.forward)
    throw usage_error(
        "Nufft: real_samples is for the adjoint only, but forward transforms are requested too; set forward "
        "to false");
  auto state = std::make_shared<State>();
  const Device device = ctx.device();
  state->image = image_shape;
  state->options = options;
  state->trajectory = copied_to(device, trajectory);
  state->plan =
      std::make_shared<const nufft::Plan<T>>(state->trajectory, image_shape, plan_options(options, 0), ctx);
  if (options.scaled) state->scale = 1 / std::sqrt(static_cast<double>(image_shape.size()));
  state->set_density(density, device);
  state_ = std::move(state);
  set_batch(options.batch);
}

template <typename T>
OperatorPtr<T> Nufft<T>::do_weighted(View<const double> w, Context& ctx) const {
  Array<double> density = copied_to(Device::cpu(), w);
  if (!state_->density.empty()) {
    const Array<double> before = copied_to(Device::cpu(), state_->density);
    for (Index j = 0; j < std::min(density.size(), before.size()); ++j) density[j] *= before[j];
  }
  auto state = std::make_shared<State>();
  state->plan = state_->plan;
  state->image = state_->image;
  state->options = state_->options;
  state->trajectory = copied_to(ctx.device(), state_->trajectory);
  state->scale = state_->scale;
  state->set_density(density, ctx.device());
  Nufft result(*this);
  result.state_ = std::move(state);
  return result.share();
}

template <typename T>
void Nufft<T>::set_batch(Index batch) {
  batch_ = batch;
  const Shape image = state_->image, samples{state_->plan->samples()};
  if (batch > 0)
    this->set_shapes(image.prepend(batch), samples.prepend(batch));
  else
    this->set_shapes(image, samples);
}

template <typename T>
Nufft<T> Nufft<T>::with_batch(Index batch) const {
  Nufft other(*this);
  other.set_batch(batch);
  return other;
}

template <typename T>
void Nufft<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const {
  const auto& s = *state_;
  s.plan->run(way, in.data(), out.data(), images(), s.weights.empty() ? nullptr : s.weights.data(), s.scale,
              ctx, write == Write::accumulate);
}

template <typename T>
std::size_t Nufft<T>::scratch_bytes(const Context& ctx) const {
  return state_->plan->scratch_bytes(ctx, images());
}

template <typename T>
std::size_t Nufft<T>::table_bytes() const {
  return state_->plan->table_bytes() + state_->trajectory.view().bytes() + state_->density.view().bytes() +
         state_->weights.view().bytes();
}

template <typename T>
std::size_t Nufft<T>::scratch_bytes(const Shape& image_shape, Index samples, const NufftOptions& options,
                                    Context& ctx) {
  return nufft::planned_bytes<T>(image_shape, plan_options(options, samples), ctx).scratch;
}

template <typename T>
std::size_t Nufft<T>::table_bytes(const Shape& image_shape, Index samples, const NufftOptions& options,
                                  bool density, Context& ctx) {
  const auto dims = static_cast<std::size_t>(image_shape.rank());
  const std::size_t kept = static_cast<std::size_t>(samples) *
                           (dims * sizeof(double) + (density ? sizeof(double) + sizeof(T) : 0));
  return kept + nufft::planned_bytes<T>(image_shape, plan_options(options, samples), ctx).tables;
}

template <typename T>
double Nufft<T>::tolerance() const {
  return state_->options.tolerance;
}
template <typename T>
NufftMethod Nufft<T>::method() const {
  return state_->options.method;
}
template <typename T>
double Nufft<T>::oversampling() const {
  return state_->plan->oversampling();
}
template <typename T>
int Nufft<T>::kernel_width() const {
  return state_->plan->kernel().width();
}

template <typename T>
double Nufft<T>::measured_error(Context& ctx, Index targets) const {
  const auto& s = *state_;
  const Index samples = s.plan->samples(), dims = s.image.rank(), pixels = s.image.size();
  const Index count = std::min(targets, samples);
  if (count <= 0) return 0;
  // A random image that is zero except for a few hundred pixels, so that exact sums are cheap at any image
  // size.
  constexpr Index most_pixels = 512;
  std::mt19937 generator(1);
  std::normal_distribution<double> gauss;
  std::set<Index> chosen;
  std::vector<std::array<double, 3>> positions;
  Array<Index> places({std::min(most_pixels, pixels)});
  Array<Scalar> values(places.shape());
  Index put = 0;
  for (Index i = 0; i < places.size(); ++i) {
    const Index pixel =
        pixels <= most_pixels ? i : static_cast<Index>(generator() % static_cast<std::uint64_t>(pixels));
    if (!chosen.insert(pixel).second) continue;
    const double re = gauss(generator), im = gauss(generator);
    places[put] = pixel;
    values[put++] = Scalar(static_cast<T>(re), static_cast<T>(im));
    auto& position = positions.emplace_back();
    Index rest = pixel;
    for (Index a = 0; a < dims; ++a) {
      const Index extent = s.image[static_cast<int>(dims - 1 - a)];
      position[a] = static_cast<double>(rest % extent - extent / 2);
      rest /= extent;
    }
  }
  const Device device = ctx.device();
  Array<Scalar> image(s.image, device);
  fill<T>(image, 0, ctx);
  const auto places_there = copied_to(device, places);
  const auto values_there = copied_to(device, values);
  for_each(ctx, put,
           nufft::PutPixels<T>{places_there.data(), complex_values(values_there.data()),
                               complex_values(image.data())});
  Array<double> points({count, dims}, device);
  for_each(ctx, count,
           nufft::PickPoints{s.trajectory.data(), samples, count, static_cast<int>(dims), points.data()});
  // A plan with the same grid and kernel, for the targets only.
  NufftOptions options = s.options;
  options.forward = true;
  options.real_samples = false;
  const nufft::Plan<T> plan(points, s.image, plan_options(options, samples), ctx);
  ctx.arena().reserve(plan.scratch_bytes(ctx, 1));
  Array<Scalar> transformed({count}, device);
  plan.forward(image.data(), transformed.data(), 1, nullptr, s.scale, ctx, false);
  const auto result = moved_to(Device::cpu(), std::move(transformed));
  const auto targets_here = moved_to(Device::cpu(), std::move(points));

  double error = 0, norm = 0;
  for (Index j = 0; j < count; ++j) {
    std::complex<double> exact = 0;
    for (std::size_t p = 0; p < positions.size(); ++p) {
      double cycles = 0;
      for (Index a = 0; a < dims; ++a) cycles += targets_here[j * dims + a] * positions[p][a];
      exact += std::complex<double>(values[static_cast<Index>(p)]) *
               std::polar(s.scale, -2 * std::numbers::pi * cycles);
    }
    error += std::norm(std::complex<double>(result[j]) - exact);
    norm += std::norm(exact);
  }
  return std::sqrt(error / norm);
}

template <typename T>
std::optional<Toeplitz<T>> Nufft<T>::toeplitz(const Shape& image, const NormalOptions& options,
                                              std::size_t more_bytes, Context& ctx) const {
  const auto& s = *state_;
  const std::size_t bytes =
      Toeplitz<T>::scratch_bytes(image, batch_, ctx) + Toeplitz<T>::table_bytes(image, ctx) + more_bytes;
  if (!nufft::takes_toeplitz(options, bytes)) return {};
  const std::lock_guard lock(s.mutex);
  auto made = std::find_if(s.toeplitz.begin(), s.toeplitz.end(),
                           [&](const Toeplitz<T>& each) { return each.image() == image; });
  if (made == s.toeplitz.end())
    made = s.toeplitz.insert(
        made, Toeplitz<T>(s.trajectory, s.density, image, batch_, nufft::psf_tolerance(s.options.tolerance),
                          s.options.scaled, ctx, s.image));
  const bool same = made->domain() == (batch_ > 0 ? image.prepend(batch_) : image);
  return same ? *made : made->with_batch(batch_, ctx);
}

template <typename T>
OperatorPtr<T> Nufft<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  if (const auto fast = toeplitz(state_->image, options, 0, ctx)) return fast->share();
  return LinearOperator<T>::do_normal(options, ctx);
}

template <typename T>
OperatorPtr<T> Nufft<T>::normal_through(const LinearOperator<T>& inner, const NormalOptions& options,
                                        Context& ctx) const {
  const auto* maps = dynamic_cast<const CoilMaps<T>*>(&inner);
  if (!maps) return nullptr;
  if (const auto fast =
          toeplitz(convolved_part(*maps, ctx), options, SenseToeplitz<T>::map_scratch_bytes(*maps, ctx), ctx))
    return SenseToeplitz<T>(*fast, *maps).share();
  return nullptr;
}

template class Nufft<float>;
template class Nufft<double>;

}  // namespace larmor
