#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/transform.hpp>
#include <larmor/operators/nufft/transform_kernels.hpp>
#include <larmor/operators/nufft/type3/nufft3.hpp>
#include <larmor/operators/shifted_copy.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace larmor {

template <typename T>
struct Transform<T>::State {
  TransformType type;
  Shape modes;
  TransformOptions options;
  // The plan of a transform whose points have been set.
  std::unique_ptr<const nufft::Plan<T>> plan;
  std::optional<Nufft3<T>> points_to_points;

  // A state without points: copies of a transform share a state, so setting points makes a new one.
  std::shared_ptr<State> without_points() const {
    return std::make_shared<State>(State{type, modes, options, nullptr, std::nullopt});
  }
};

namespace {

void check(const TransformOptions& options) {
  if (options.sign != -1 && options.sign != 1)
    throw usage_error("Transform: sign {}, expected -1 or 1", options.sign);
  if (options.adjoint && options.real_points)
    throw usage_error("Transform: there is no adjoint for real points");
  if (options.batch < 1) throw usage_error("Transform: batch {}, expected at least 1", options.batch);
}

// The opposite sign of the exponent equals the opposite points.
Array<double> opposite(View<const double> points, Context& ctx) {
  const bool here = points.device() == ctx.device();
  auto result = here ? Array<double>(points.shape(), ctx.device()) : copied_to(ctx.device(), points);
  for_each(ctx, result.size(), nufft::Opposite{here ? points.data() : result.data(), result.data()});
  return result;
}

// Copies images between the two orders of modes: along every axis, mode −⌊N/2⌋ moves from index 0 to index
// ⌈N/2⌉, or back.
template <typename T>
void reorder(const std::complex<T>* in, const Shape& modes, Index batch, bool to_fft, std::complex<T>* out,
             Context& ctx) {
  const Shape shape = modes.prepend(batch);
  copy_rolled<T>(View(in, shape, ctx.device()), View(out, shape, ctx.device()), modes.rank(), to_fft, 1, ctx,
                 Write::overwrite);
}

}  // namespace

template <typename T>
Transform<T>::Transform(TransformType type, const Shape& modes, const TransformOptions& options)
    : state_(std::make_shared<State>(State{type, modes, options, nullptr, std::nullopt})) {
  check(options);
  if (type == TransformType::points_to_points)
    throw usage_error("Transform: type 3 has no modes; construct it from its options only");
}

template <typename T>
Transform<T>::Transform(const TransformOptions& options)
    : state_(std::make_shared<State>(
          State{TransformType::points_to_points, Shape(), options, nullptr, std::nullopt})) {
  check(options);
}

// A plan's forward transform has the sign −1, its adjoint +1; type 3 has −1.
template <typename T>
bool Transform<T>::opposite_points() const {
  return state_->options.sign == (state_->type == TransformType::points_to_modes ? -1 : 1);
}

template <typename T>
void Transform<T>::set_points(View<const double> points, Context& ctx) {
  if (!opposite_points())
    plan_for(points, ctx);
  else if (ctx.on_gpu())
    plan_for(opposite(points, ctx), ctx);
  else
    plan_for({points, -1}, ctx);
}

template <typename T>
void Transform<T>::set_points(const PointColumns<T>& points, Context& ctx) {
  plan_for({points.axes, points.count, points.dims, opposite_points() ? -points.scale : points.scale}, ctx);
}

template <typename T>
void Transform<T>::plan_for(const nufft::Points<T>& points, Context& ctx) {
  const auto next = state_->without_points();
  State& s = *next;
  if (s.type == TransformType::points_to_points)
    throw usage_error("Transform: type 3 needs points and frequencies");
  const nufft::PlanOptions options{
      .tolerance = s.options.tolerance,
      .oversampling = s.options.oversampling,
      .batch = s.options.batch,
      .forward = s.type == TransformType::modes_to_points || s.options.adjoint,
      .adjoint = s.type == TransformType::points_to_modes || s.options.adjoint,
      .real_samples = s.options.real_points && s.type == TransformType::points_to_modes};
  s.plan = std::make_unique<const nufft::Plan<T>>(points, s.modes, options, ctx);
  state_ = next;
}

template <typename T>
void Transform<T>::set_points(const PointColumns<T>& points, const PointColumns<T>& frequencies,
                              Context& ctx) {
  Array<double> from, to;
  const auto rows = [&](const PointColumns<T>& columns, double scale, Array<double>& made) {
    return nufft::Points<T>(columns.axes, columns.count, columns.dims, scale).in_rows(made, ctx);
  };
  const auto k = rows(points, opposite_points() ? -points.scale : points.scale, from);
  const auto targets = rows(frequencies, frequencies.scale, to);
  plan_for(k, std::move(from), targets, std::move(to), ctx);
}

template <typename T>
void Transform<T>::set_points(View<const double> points, View<const double> frequencies, Context& ctx) {
  if (!opposite_points()) return plan_for(points, {}, frequencies, {}, ctx);
  auto opposite_points = opposite(points, ctx);
  const auto k = opposite_points.view();
  plan_for(k, std::move(opposite_points), frequencies, {}, ctx);
}

template <typename T>
void Transform<T>::plan_for(View<const double> points, Array<double> points_array,
                            View<const double> frequencies, Array<double> frequencies_array, Context& ctx) {
  const auto next = state_->without_points();
  State& s = *next;
  if (s.type != TransformType::points_to_points)
    throw usage_error("Transform: only type 3 takes frequencies");
  const Nufft3Options options{.tolerance = s.options.tolerance,
                              .batch = s.options.batch == 1 ? 0 : s.options.batch,
                              .adjoint = s.options.adjoint};
  s.points_to_points.emplace(points, frequencies, options, ctx, std::move(points_array),
                             std::move(frequencies_array));
  state_ = next;
}

template <typename T>
void Transform<T>::run(Direction way, View<const C> in, View<C> out, Context& ctx) const {
  const State& s = *state_;
  if (!s.plan && !s.points_to_points) throw usage_error("Transform: execute before set_points");
  if (way == Direction::adjoint && !s.options.adjoint)
    throw usage_error("Transform: execute_adjoint() needs a transform made with adjoint = true");
  const Index batch = s.options.batch;
  if (s.points_to_points) {
    const auto& op = *s.points_to_points;
    const bool forward = way == Direction::forward;
    op.apply(way, in.reshaped(forward ? op.domain() : op.codomain()),
             out.reshaped(forward ? op.codomain() : op.domain()), ctx);
    return;
  }
  const bool to_points = (s.type == TransformType::modes_to_points) == (way == Direction::forward);
  const Index modes = s.modes.size() * batch, points = s.plan->samples() * batch;
  if (in.size() != (to_points ? modes : points) || out.size() != (to_points ? points : modes))
    throw usage_error("Transform: {} values in and {} out, expected {} and {}", in.size(), out.size(),
                      to_points ? modes : points, to_points ? points : modes);
  const bool reordered = s.options.order == ModeOrder::fft;
  ctx.arena().reserve(s.plan->scratch_bytes(ctx, batch) + (reordered ? Scratch::bytes<C>({modes}) : 0));
  Scratch scratch(ctx);
  const View<C> images = reordered ? scratch.take<C>({modes}) : View<C>();
  if (to_points) {
    if (reordered) reorder(in.data(), s.modes, batch, false, images.data(), ctx);
    s.plan->forward(reordered ? images.data() : in.data(), out.data(), batch, nullptr, 1, ctx, false);
  } else {
    s.plan->adjoint(in.data(), reordered ? images.data() : out.data(), batch, nullptr, 1, ctx, false);
    if (reordered) reorder(images.data(), s.modes, batch, true, out.data(), ctx);
  }
}

template <typename T>
double Transform<T>::oversampling() const {
  if (state_->points_to_points) return state_->points_to_points->oversampling();
  return state_->plan ? state_->plan->oversampling() : 0;
}

template <typename T>
int Transform<T>::kernel_width() const {
  if (state_->points_to_points) return state_->points_to_points->kernel_width();
  return state_->plan ? state_->plan->kernel().width() : 0;
}

template class Transform<float>;
template class Transform<double>;

}  // namespace larmor
