#include <larmor/capi/handles.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/operators/algebra.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <cmath>

using namespace larmor;
using capi::guarded;
using capi::require;

namespace {

/// An operator defined by the program.
template <typename T>
class OwnOperator final : public TwoWayOperator<OwnOperator<T>, T> {
 public:
  using Scalar = std::complex<T>;
  OwnOperator(const Shape& from, const Shape& to, larmor_own_function forward, larmor_own_function back,
              void* user)
      : TwoWayOperator<OwnOperator<T>, T>(from, to), apply_(forward), adjoint_(back), user_(user) {}
  std::string name() const override { return "own operator"; }
  std::size_t scratch_bytes(const Context& /*ctx*/) const override {
    return Scratch::bytes<Scalar>({std::max(this->domain().size(), this->codomain().size())});
  }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override {
    Scratch scratch(ctx);
    const View<Scalar> result = write == Write::accumulate ? scratch.take<Scalar>(out.shape()) : out;
    const int failure = (way == Direction::forward ? apply_ : adjoint_)(user_, in.data(), result.data());
    if (failure != 0)
      throw usage_error("the {} function of an operator returned {}",
                        way == Direction::forward ? "apply" : "adjoint", failure);
    if (write == Write::accumulate)
      for (Index i = 0; i < out.size(); ++i) out[i] += result[i];
  }

 private:
  larmor_own_function apply_, adjoint_;
  void* user_;
};

/// make(operator, ctx) for an operator of either precision.
template <typename Make>
larmor_status make_from(const larmor_operator* a, larmor_operator** op, const Make& make) {
  return guarded([&] {
    require(a, "the operator");
    require(op, "op");
    capi::AnyOperator made;
    a->machine->run(
        [&](Context& ctx) { std::visit([&](const auto& inner) { made = make(inner, ctx); }, a->op); });
    *op = new larmor_operator{a->machine, std::move(made)};
  });
}

larmor_status run(const larmor_operator* handle, Direction way, const void* in, void* out) {
  return guarded([&] {
    require(handle, "op");
    require(in, way == Direction::forward ? "x" : "y");
    require(out, way == Direction::forward ? "y" : "x");
    handle->machine->run([&](Context& ctx) {
      std::visit(
          [&](const auto& op) {
            using C = typename std::decay_t<decltype(op)>::Scalar;
            const bool forward = way == Direction::forward;
            op.apply(
                way,
                View<const C>(static_cast<const C*>(in), forward ? op.domain() : op.codomain(), ctx.device()),
                View<C>(static_cast<C*>(out), forward ? op.codomain() : op.domain(), ctx.device()), ctx);
          },
          handle->op);
    });
  });
}

}  // namespace

larmor_status larmor_nufft_create(larmor_context* context, larmor_precision precision,
                                  const larmor_shape* image, int64_t samples, const double* trajectory,
                                  const larmor_nufft_options* options, larmor_operator** op) {
  return guarded([&] {
    require(context, "context");
    require(trajectory, "trajectory");
    require(op, "op");
    const Shape shape = capi::shape_of(image, "image");
    if (samples < 0) throw usage_error("there are {} samples", samples);
    const larmor_nufft_options given = capi::options_of(options);
    if (given.coils < 0) throw usage_error("there are {} coils", given.coils);
    // The number of elements does not overflow.
    (void)shape.prepend(std::max<int64_t>(1, given.coils)).size();
    (void)Shape{std::max<int64_t>(1, given.coils), samples}.size();
    const NufftOptions made{.tolerance = given.tolerance == 0 ? 1e-3 : given.tolerance,
                            .batch = given.coils,
                            .oversampling = given.oversampling,
                            .scaled = given.unscaled == 0};
    const View<const double> k(trajectory, {samples, shape.rank()});
    capi::AnyOperator result;
    context->machine->run([&](Context& ctx) {
      capi::by_precision(precision, [&](auto number) {
        using T = decltype(number);
        result = Operator<T>(Nufft<T>(k, shape, made, ctx));
      });
    });
    *op = new larmor_operator{context->machine, std::move(result)};
  });
}

larmor_status larmor_coil_maps_create(larmor_context* context, larmor_precision precision,
                                      const larmor_shape* shape, const void* maps, larmor_operator** op) {
  return guarded([&] {
    require(context, "context");
    require(maps, "maps");
    require(op, "op");
    const Shape extents = capi::shape_of(shape, "shape");
    capi::AnyOperator result;
    context->machine->run([&](Context& ctx) {
      capi::by_precision(precision, [&](auto number) {
        using T = decltype(number);
        const View<const std::complex<T>> view(static_cast<const std::complex<T>*>(maps), extents);
        Array<std::complex<T>> values = copied_to(ctx.device(), view);
        if (!std::isfinite(max_magnitude<T>(values, ctx)))
          throw input_error("maps contain NaN or infinite values");
        result = Operator<T>(CoilMaps<T>(std::move(values)));
      });
    });
    *op = new larmor_operator{context->machine, std::move(result)};
  });
}

larmor_status larmor_own_operator_create(larmor_context* context, larmor_precision precision,
                                         const larmor_shape* domain, const larmor_shape* codomain,
                                         larmor_own_function apply, larmor_own_function adjoint, void* user,
                                         larmor_operator** op) {
  return guarded([&] {
    require(context, "context");
    require(op, "op");
    if (apply == nullptr || adjoint == nullptr)
      throw usage_error("an operator of your own needs apply and adjoint");
    if (context->machine->ctx.on_gpu())
      throw usage_error("an operator of your own works on the CPU only, not on {}",
                        context->machine->ctx.device().to_string());
    const Shape from = capi::shape_of(domain, "domain"), to = capi::shape_of(codomain, "codomain");
    capi::by_precision(precision, [&](auto number) {
      using T = decltype(number);
      *op =
          new larmor_operator{context->machine, Operator<T>(OwnOperator<T>(from, to, apply, adjoint, user))};
    });
  });
}

larmor_status larmor_product_create(const larmor_operator* a, const larmor_operator* b,
                                    larmor_operator** op) {
  return guarded([&] {
    require(a, "a");
    require(b, "b");
    require(op, "op");
    if (a->op.index() != b->op.index()) throw usage_error("a and b have different precisions");
    if (!(a->machine->ctx.device() == b->machine->ctx.device()))
      throw usage_error("a is on {}, b on {}", a->machine->ctx.device().to_string(),
                        b->machine->ctx.device().to_string());
    *op = std::visit(
        [&]<typename T>(const Operator<T>& left) {
          return new larmor_operator{a->machine, Operator<T>(left * std::get<Operator<T>>(b->op))};
        },
        a->op);
  });
}

larmor_status larmor_adjoint_create(const larmor_operator* a, larmor_operator** op) {
  return make_from(a, op,
                   [](const auto& inner, Context& /*ctx*/) -> capi::AnyOperator { return adjoint(inner); });
}

larmor_status larmor_normal_create(const larmor_operator* a, larmor_operator** op) {
  return make_from(a, op,
                   [](const auto& inner, Context& ctx) -> capi::AnyOperator { return inner.normal(ctx); });
}

larmor_status larmor_operator_shapes(const larmor_operator* op, larmor_shape* domain,
                                     larmor_shape* codomain) {
  return guarded([&] {
    require(op, "op");
    std::visit(
        [&](const auto& inner) {
          if (domain != nullptr) *domain = capi::shape_of(inner.domain());
          if (codomain != nullptr) *codomain = capi::shape_of(inner.codomain());
        },
        op->op);
  });
}

larmor_status larmor_operator_apply(const larmor_operator* op, const void* x, void* y) {
  return run(op, Direction::forward, x, y);
}

larmor_status larmor_operator_adjoint(const larmor_operator* op, const void* y, void* x) {
  return run(op, Direction::adjoint, y, x);
}

void larmor_operator_destroy(larmor_operator* op) {
  delete op;
}
