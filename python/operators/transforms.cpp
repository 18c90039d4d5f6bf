#include <larmor/operators/nufft/transform.hpp>
#include <larmor/python/operators/operators.hpp>
#include <larmor/python/operators/transforms.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

namespace larmor::python {
namespace {

/// A transform of either precision, and its context.
struct TransformHandle {
  std::shared_ptr<Machine> machine;
  std::variant<Transform<float>, Transform<double>> transform;
};

TransformHandle make_transform(const std::shared_ptr<Machine>& machine, bool is_double, int type,
                               const std::vector<Index>& modes, double tolerance, int sign, bool fft_order,
                               Index batch, double oversampling, bool adjoint) {
  const TransformOptions options{.tolerance = tolerance,
                                 .sign = sign,
                                 .order = fft_order ? ModeOrder::fft : ModeOrder::centred,
                                 .batch = batch,
                                 .oversampling = oversampling,
                                 .adjoint = adjoint};
  using Either = std::variant<Transform<float>, Transform<double>>;
  return {machine, by_precision(is_double, [&](auto precision) -> Either {
            using T = decltype(precision);
            if (type == 3) return Transform<T>(options);
            return Transform<T>(static_cast<TransformType>(type), shape_of(modes), options);
          })};
}

void set_points(TransformHandle& handle, const AnyArray& points, const std::optional<AnyArray>& frequencies) {
  const auto x = borrowed_host<double>(points, "points");
  const auto k = frequencies ? borrowed_host<double>(*frequencies, "frequencies") : View<const double>();
  handle.machine->run([&](Context& ctx) {
    std::visit([&](auto& t) { frequencies ? t.set_points(x, k, ctx) : t.set_points(x, ctx); },
               handle.transform);
  });
}

void execute(const TransformHandle& handle, nb::handle in, nb::handle out, bool adjoint) {
  AnyArray from, to;
  std::visit(
      [&](const auto& transform) {
        using C = typename std::decay_t<decltype(transform)>::C;
        const auto x = handle.machine->input<C>(in, "data", from);
        const auto y = handle.machine->output<C>(out, "out", to);
        handle.machine->run([&](Context& ctx) {
          adjoint ? transform.execute_adjoint(x, y, ctx) : transform.execute(x, y, ctx);
          ctx.synchronize();
        });
      },
      handle.transform);
}

}  // namespace

void define_transforms(nb::module_& module) {
  nb::class_<TransformHandle>(module, "Transform")
      .def("set_points", &set_points, nb::arg("points"), nb::arg("frequencies").none())
      .def("execute", &execute);
  module.def("transform", &make_transform);
}

}  // namespace larmor::python
