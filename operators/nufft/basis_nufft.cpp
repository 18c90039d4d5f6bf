#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/nufft/basis_kernels.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>
#include <larmor/operators/stacks.hpp>

#include <cmath>
#include <mutex>
#include <optional>

namespace larmor {
namespace {

// Images that are transformed together share the kernel weights of the points.
constexpr Index images_together = 16;

// Number of coefficients transformed at a time: a divisor of their number, because one plan serves all parts.
Index coefficients_together(Index terms, Index coils) {
  Index together = std::clamp<Index>(images_together / coils, 1, terms);
  while (terms % together != 0) --together;
  return together;
}

}  // namespace

template <typename T>
struct BasisNufft<T>::State {
  std::unique_ptr<const nufft::Plan<T>> plan;
  Shape leading, image;
  NufftOptions options;
  Index terms = 0, coils = 1, samples = 0, together = 1;
  Array<double> trajectory;  // kept for the PSF
  Array<Scalar> basis;       // [terms, samples], times √d
  double scale = 1;
  bool real = true;  // products of basis entries: how many spectra a normal operator has

  mutable std::mutex mutex;
  mutable std::optional<Toeplitz<T>> toeplitz;
};

template <typename T>
BasisNufft<T>::BasisNufft(View<const double> trajectory, View<const double> density,
                          View<const std::complex<double>> basis, const Shape& image_shape,
                          const NufftOptions& options, Context& ctx) {
  auto state = std::make_shared<State>();
  const Index samples = trajectory.shape().rank() > 0 ? trajectory.shape()[0] : 0;
  if (basis.shape().rank() < 2 || basis.shape()[0] != samples)
    throw usage_error("BasisNufft: basis of shape {} for {} samples, expected [{}, L]",
                      basis.shape().to_string(), samples, samples);
  if (density.size() > 0 && density.size() != samples)
    throw usage_error("BasisNufft: {} density weights for {} samples", density.size(), samples);
  state->leading = basis.shape().drop_front(1);
  state->terms = state->leading.size();
  if (state->terms < 1 || state->terms > most_coefficients)
    throw usage_error("BasisNufft: a basis of {} coefficients, expected 1 to {}", state->terms,
                      most_coefficients);
  state->image = image_shape;
  state->options = options;
  state->coils = std::max<Index>(1, options.batch);
  state->samples = samples;
  state->together = coefficients_together(state->terms, state->coils);

  const auto weights = copied_to(Device::cpu(), density);
  Array<Scalar> rows({state->terms, samples});
  for (Index j = 0; j < samples; ++j) {
    const double d = density.size() > 0 ? weights[j] : 1.0;
    if (!(d >= 0) || !std::isfinite(d))
      throw input_error("BasisNufft: density weight {} is {}, expected a finite number that is not negative",
                        j, d);
    for (Index l = 0; l < state->terms; ++l) {
      const std::complex<double> b = basis[j * state->terms + l];
      if (!std::isfinite(b.real()) || !std::isfinite(b.imag()))
        throw input_error("BasisNufft: basis entry {} of sample {} is not finite", l, j);
      rows[l * samples + j] = Scalar(b * std::sqrt(d));
    }
  }
  state->real = nufft::has_real_products<T>(rows);
  state->basis = moved_to(ctx.device(), std::move(rows));
  state->trajectory = copied_to(ctx.device(), trajectory);
  state->plan =
      std::make_unique<const nufft::Plan<T>>(state->trajectory, image_shape,
                                             nufft::PlanOptions{.tolerance = options.tolerance,
                                                                .oversampling = options.oversampling,
                                                                .batch = state->together * state->coils,
                                                                .small_grid = options.small_grid},
                                             ctx);
  if (options.scaled) state->scale = 1 / std::sqrt(static_cast<double>(image_shape.size()));

  Shape domain = options.batch > 0 ? image_shape.prepend(options.batch) : image_shape;
  for (int axis = state->leading.rank(); axis-- > 0;) domain = domain.prepend(state->leading[axis]);
  this->set_shapes(domain, options.batch > 0 ? Shape{options.batch, samples} : Shape{samples});
  state_ = std::move(state);
}

template <typename T>
Index BasisNufft<T>::coefficients() const {
  return state_->terms;
}
template <typename T>
double BasisNufft<T>::tolerance() const {
  return state_->options.tolerance;
}

template <typename T>
std::size_t BasisNufft<T>::scratch_bytes(const Context& ctx) const {
  const auto& s = *state_;
  return Scratch::bytes<Scalar>({s.together, s.coils, s.samples}) +
         s.plan->scratch_bytes(ctx, s.together * s.coils);
}
template <typename T>
std::size_t BasisNufft<T>::table_bytes() const {
  return state_->plan->table_bytes() + state_->trajectory.view().bytes() + state_->basis.view().bytes();
}

template <typename T>
std::size_t BasisNufft<T>::scratch_bytes(const Shape& image_shape, Index samples, Index coefficients,
                                         const NufftOptions& options, Context& ctx) {
  const Index coils = std::max<Index>(1, options.batch),
              together = coefficients_together(coefficients, coils);
  NufftOptions part = options;
  part.batch = together * coils;
  part.method = NufftMethod::gridding;
  return Scratch::bytes<Scalar>({together, coils, samples}) +
         Nufft<T>::scratch_bytes(image_shape, samples, part, ctx);
}
template <typename T>
std::size_t BasisNufft<T>::table_bytes(const Shape& image_shape, Index samples, Index coefficients,
                                       const NufftOptions& options, Context& ctx) {
  NufftOptions part = options;
  part.method = NufftMethod::gridding;
  return Nufft<T>::table_bytes(image_shape, samples, part, false, ctx) +
         static_cast<std::size_t>(samples * coefficients) * sizeof(Scalar);
}

template <typename T>
void BasisNufft<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                        Write write) const {
  const auto& s = *state_;
  const bool forward = way == Direction::forward, add = write == Write::accumulate;
  Scratch scratch(ctx);
  Scalar* rows = scratch.take<Scalar>({s.together, s.coils, s.samples}).data();
  const Index images = s.coils * s.image.size(), together = s.together * s.coils;
  for (Index first = 0; first < s.terms; first += s.together) {
    const auto* basis = complex_values(s.basis.data() + first * s.samples);
    if (forward) {
      s.plan->forward(in.data() + first * images, rows, together, nullptr, s.scale, ctx, false);
      for_each_in_rows(ctx, s.coils, s.samples,
                       nufft::CombineRows<T>{basis, complex_values(rows), complex_values(out.data()),
                                             s.together, s.coils, s.samples, first > 0 || add});
    } else {
      for_each_in_rows(ctx, s.coils, s.samples,
                       nufft::SpreadRows<T>{basis, complex_values(in.data()), complex_values(rows),
                                            s.together, s.coils, s.samples});
      s.plan->adjoint(rows, out.data() + first * images, together, nullptr, s.scale, ctx, add);
    }
  }
}

// Null if it is not wanted or does not fit into memory.
template <typename T>
const Toeplitz<T>* BasisNufft<T>::toeplitz(const NormalOptions& options, std::size_t more_bytes,
                                           Context& ctx) const {
  const auto& s = *state_;
  const std::size_t bytes = Toeplitz<T>::scratch_bytes(s.image, s.coils, ctx, s.terms) +
                            Toeplitz<T>::table_bytes(s.image, ctx, s.terms, !s.real) + more_bytes;
  if (!nufft::takes_toeplitz(options, bytes)) return nullptr;
  const std::lock_guard lock(s.mutex);
  if (!s.toeplitz)
    s.toeplitz.emplace(s.trajectory, s.basis, s.leading, s.image, s.options.batch,
                       nufft::psf_tolerance(s.options.tolerance), s.scale * s.scale, ctx);
  return &*s.toeplitz;
}

template <typename T>
OperatorPtr<T> BasisNufft<T>::do_normal(const NormalOptions& options, Context& ctx) const {
  if (const auto* fast = toeplitz(options, 0, ctx)) return fast->share();
  return LinearOperator<T>::do_normal(options, ctx);
}

template <typename T>
OperatorPtr<T> BasisNufft<T>::normal_through(const LinearOperator<T>& inner, const NormalOptions& options,
                                             Context& ctx) const {
  if (state_->options.batch == 0) return nullptr;
  OperatorPtr<T> leaf = inner.share();
  while (dynamic_cast<const Batched<T>*>(leaf.get())) leaf = leaf->children().front();
  const auto* maps = dynamic_cast<const CoilMaps<T>*>(leaf.get());
  if (!maps || !(maps->domain() == state_->image)) return nullptr;
  if (const auto* fast = toeplitz(options, SenseToeplitz<T>::map_scratch_bytes(*maps, ctx), ctx))
    return SenseToeplitz<T>(*fast, *maps).share();
  return nullptr;
}

template class BasisNufft<float>;
template class BasisNufft<double>;

}  // namespace larmor
