#include <larmor/capi/handles.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/transform.hpp>

#include <functional>
#include <limits>

struct larmor_transform {
  std::shared_ptr<larmor::capi::Machine> machine;
  int32_t type;
  larmor::Shape modes;
  int64_t batch, points = 0, frequencies = 0;
  std::variant<larmor::Transform<float>, larmor::Transform<double>> transform;
};

using namespace larmor;
using capi::guarded;
using capi::require;

namespace {

larmor_status execute(larmor_transform* handle, const void* in, void* out, bool adjoint) {
  return guarded([&] {
    require(handle, "transform");
    require(in, "in");
    require(out, "out");
    const Index points = handle->points * handle->batch;
    const Index others = (handle->type == 3 ? handle->frequencies : handle->modes.size()) * handle->batch;
    const bool to_points = (handle->type == 2) != adjoint;
    handle->machine->run([&](Context& ctx) {
      std::visit(
          [&](const auto& transform) {
            using C = typename std::decay_t<decltype(transform)>::C;
            const View<const C> x(static_cast<const C*>(in), {to_points ? others : points}, ctx.device());
            const View<C> y(static_cast<C*>(out), {to_points ? points : others}, ctx.device());
            if (std::less<>()(x.begin(), y.end()) && std::less<>()(y.begin(), x.end()))
              throw usage_error("in and out overlap in memory");
            adjoint ? transform.execute_adjoint(x, y, ctx) : transform.execute(x, y, ctx);
          },
          handle->transform);
    });
  });
}

}  // namespace

larmor_status larmor_transform_create(larmor_context* context, int32_t type, larmor_precision precision,
                                      const larmor_shape* modes, const larmor_transform_options* options,
                                      larmor_transform** transform) {
  return guarded([&] {
    require(context, "context");
    require(transform, "transform");
    if (type < 1 || type > 3) throw usage_error("type is {}, expected 1, 2 or 3", type);
    const larmor_transform_options given = capi::options_of(options);
    if (given.batch < 0 || given.batch > std::numeric_limits<int32_t>::max())
      throw usage_error("batch is {}, expected 1 to {}", given.batch, std::numeric_limits<int32_t>::max());
    const TransformOptions made{.tolerance = given.tolerance == 0 ? 1e-6 : given.tolerance,
                                .sign = given.sign == 0 ? -1 : given.sign,
                                .order = given.fft_order != 0 ? ModeOrder::fft : ModeOrder::centred,
                                .batch = given.batch == 0 ? 1 : given.batch,
                                .oversampling = given.oversampling,
                                .adjoint = given.adjoint != 0};
    const Shape shape = type == 3 ? Shape{} : capi::shape_of(modes, "modes");
    if (type != 3 && (shape.rank() < 1 || shape.rank() > 3))
      throw usage_error("modes have {} axes, expected 1 to 3", shape.rank());
    capi::by_precision(precision, [&](auto number) {
      using T = decltype(number);
      Transform<T> plan =
          type == 3 ? Transform<T>(made) : Transform<T>(static_cast<TransformType>(type), shape, made);
      *transform = new larmor_transform{context->machine, type, shape, made.batch, 0, 0, std::move(plan)};
    });
  });
}

larmor_status larmor_transform_set_points(larmor_transform* transform, int32_t dims, int64_t count,
                                          const double* points, int64_t frequency_count,
                                          const double* frequencies) {
  return guarded([&] {
    require(transform, "transform");
    require(points, "points");
    const Index axes = transform->type == 3 ? dims : transform->modes.rank();
    if (axes < 1 || axes > 3) throw usage_error("there are {} dimensions, expected 1 to 3", axes);
    if (count < 0 || frequency_count < 0)
      throw usage_error("there are {} points and {} frequencies", count, frequency_count);
    const View<const double> x(points, {count, axes});
    if (transform->type == 3) require(frequencies, "frequencies");
    const View<const double> k(frequencies, {frequency_count, axes});
    transform->machine->run([&](Context& ctx) {
      std::visit(
          [&](auto& plan) { transform->type == 3 ? plan.set_points(x, k, ctx) : plan.set_points(x, ctx); },
          transform->transform);
    });
    transform->points = count;
    transform->frequencies = frequency_count;
  });
}

larmor_status larmor_transform_execute(larmor_transform* transform, const void* in, void* out) {
  return execute(transform, in, out, false);
}

larmor_status larmor_transform_execute_adjoint(larmor_transform* transform, const void* in, void* out) {
  return execute(transform, in, out, true);
}

void larmor_transform_destroy(larmor_transform* transform) {
  delete transform;
}
