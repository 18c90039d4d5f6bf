#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/operators/algebra.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/reshaped.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/operators/transforms/gradient.hpp>
#include <larmor/operators/transforms/wavelet.hpp>
#include <larmor/python/operators/operators.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>

namespace larmor::python {
namespace {

using Extents = std::vector<Index>;
using MachinePtr = std::shared_ptr<Machine>;
using Handles = std::vector<OperatorHandle>;

void run(const OperatorHandle& handle, Direction way, nb::handle in, nb::handle out) {
  AnyArray from, to;
  std::visit(
      [&](const auto& op) {
        using C = typename std::decay_t<decltype(op)>::Scalar;
        const auto x = handle.machine->input<C>(in, way == Direction::forward ? "x" : "y", from);
        const auto y = handle.machine->output<C>(out, "out", to);
        handle.machine->run([&](Context& ctx) {
          op.apply(way, x, y, ctx);
          ctx.synchronize();
        });
      },
      handle.op);
}

NormalOptions::Toeplitz toeplitz_choice(const std::string& name) {
  if (name == "auto") return NormalOptions::Toeplitz::automatic;
  if (name == "on") return NormalOptions::Toeplitz::on;
  if (name == "off") return NormalOptions::Toeplitz::off;
  throw usage_error("toeplitz is '{}', expected auto, on or off", name);
}

/// √W A, for its normal operator.
OperatorHandle weighted(const OperatorHandle& handle, const AnyArray& weights) {
  const auto w = borrowed_host<double>(weights, "weights");
  OperatorHandle result{handle.machine, {}};
  handle.machine->run([&](Context& ctx) {
    std::visit([&](const auto& op) { result.op = larmor::detail::weighted_operator(op, w, ctx); }, handle.op);
  });
  return result;
}

OperatorHandle normal(const OperatorHandle& handle, const std::string& toeplitz, int expected_applies,
                      std::size_t byte_limit) {
  const NormalOptions options{toeplitz_choice(toeplitz), expected_applies, byte_limit};
  OperatorHandle result{handle.machine, {}};
  handle.machine->run_interruptibly([&](Context& ctx) {
    std::visit([&](const auto& op) { result.op = op.normal(options, ctx); }, handle.op);
  });
  return result;
}

OperatorHandle make_nufft(const MachinePtr& machine, bool is_double, nb::handle trajectory,
                          const Extents& shape, Index coils, double tolerance, double oversampling,
                          const std::string& method, bool scaled) {
  NufftOptions options{
      .tolerance = tolerance, .batch = coils, .oversampling = oversampling, .scaled = scaled};
  if (method == "matrix")
    options.method = NufftMethod::matrix;
  else if (method != "gridding")
    throw usage_error("method is '{}', expected gridding or matrix", method);
  if (coils < 0) throw usage_error("coils is {}, expected the number of coils, or 0 for no coil axis", coils);
  AnyArray keep = array_of(trajectory, "trajectory");
  const bool there = machine->device().on_gpu() && device_of(keep, "trajectory") == machine->device();
  const auto points = there ? machine->input<double>(trajectory, "trajectory", keep)
                            : borrowed_host<double>(keep, "trajectory");
  const Shape image = shape_of(shape);
  OperatorHandle result{machine, {}};
  machine->run_interruptibly([&](Context& ctx) {
    by_precision(is_double, [&](auto precision) {
      using T = decltype(precision);
      result.op = Operator<T>(Nufft<T>(points, image, options, ctx));
    });
    ctx.synchronize();
  });
  return result;
}

/// make(Array on the machine's device) from a Python array, in its precision.
template <typename Make>
OperatorHandle make_of_array(const MachinePtr& machine, nb::handle array, const char* name,
                             const Make& make) {
  AnyArray keep = array_of(array, name);
  const bool is_double = keep.dtype() == nb::dtype<std::complex<double>>();
  const bool elsewhere = !(device_of(keep, name) == machine->device());
  OperatorHandle result{machine, {}};
  by_precision(is_double, [&](auto precision) {
    using T = decltype(precision);
    const auto view = elsewhere ? borrowed<std::complex<T>>(keep, name)
                                : machine->input<std::complex<T>>(array, name, keep);
    machine->run([&](Context& ctx) {
      Array<std::complex<T>> values = copied_to(ctx.device(), view);
      if (!std::isfinite(max_magnitude<T>(values, ctx)))
        throw input_error("{} contain NaN or infinite values", name);
      result.op = make(std::move(values));
      ctx.synchronize();
    });
  });
  return result;
}

/// make(T{}) for an operator without arrays.
template <typename Make>
OperatorHandle make_plain(const MachinePtr& machine, bool is_double, const Make& make) {
  OperatorHandle result{machine, {}};
  machine->run(
      [&](Context&) { by_precision(is_double, [&](auto precision) { result.op = make(precision); }); });
  return result;
}

/// make(operators) of one precision.
template <typename Make>
OperatorHandle make_of_operators(const Handles& handles, const Make& make) {
  if (handles.empty()) throw usage_error("no operators were given");
  OperatorHandle result{handles.front().machine, {}};
  by_precision(handles.front().is_double(), [&](auto precision) {
    using T = decltype(precision);
    result.op = make(operators_of<T>(handles));
  });
  return result;
}

void define_class(nb::module_& module) {
  nb::class_<OperatorHandle>(module, "Operator")
      .def_prop_ro("machine", [](const OperatorHandle& h) { return h.machine; })
      .def_prop_ro("domain", [](const OperatorHandle& h) { return tuple_of(h.domain()); })
      .def_prop_ro("codomain", [](const OperatorHandle& h) { return tuple_of(h.codomain()); })
      .def_prop_ro("is_double", &OperatorHandle::is_double)
      .def_prop_ro(
          "name",
          [](const OperatorHandle& h) { return std::visit([](const auto& op) { return op.name(); }, h.op); })
      .def("describe",
           [](const OperatorHandle& h) {
             return std::visit([](const auto& op) { return describe(op.held()); }, h.op);
           })
      .def("table_bytes",
           [](const OperatorHandle& h) {
             return std::visit([](const auto& op) { return op.table_bytes(); }, h.op);
           })
      .def(
          "apply",
          [](const OperatorHandle& h, nb::handle x, nb::handle out) { run(h, Direction::forward, x, out); },
          nb::arg().none(), nb::arg().none())
      .def(
          "adjoint",
          [](const OperatorHandle& h, nb::handle y, nb::handle out) { run(h, Direction::adjoint, y, out); },
          nb::arg().none(), nb::arg().none())
      .def("normal", &normal)
      .def("weighted", &weighted)
      .def("measured_error", [](const OperatorHandle& h, Index targets) {
        double error = 0;
        h.machine->run_interruptibly([&](Context& ctx) {
          std::visit(
              [&](const auto& op) {
                using T = typename std::decay_t<decltype(op)>::Scalar::value_type;
                const auto* nufft = dynamic_cast<const Nufft<T>*>(&op.held());
                if (nufft == nullptr)
                  throw usage_error("{} has no measured error: it is not a Nufft", op.name());
                error = nufft->measured_error(ctx, targets);
              },
              h.op);
        });
        return error;
      });
}

}  // namespace

Shape OperatorHandle::domain() const {
  return std::visit([](const auto& held) { return held.domain(); }, op);
}

Shape OperatorHandle::codomain() const {
  return std::visit([](const auto& held) { return held.codomain(); }, op);
}

template <typename T>
const Operator<T>& operator_of(const OperatorHandle& handle) {
  const auto* op = std::get_if<Operator<T>>(&handle.op);
  if (op == nullptr)
    throw usage_error(
        "{} works in {} precision, the other operators in {}: create all of them with one dtype",
        std::visit([](const auto& other) { return other.name(); }, handle.op),
        handle.is_double() ? "double" : "single", handle.is_double() ? "single" : "double");
  return *op;
}

template <typename T>
std::vector<Operator<T>> operators_of(const Handles& handles) {
  std::vector<Operator<T>> result;
  for (const OperatorHandle& handle : handles) {
    const Device device = handle.machine->device(), first = handles.front().machine->device();
    const Operator<T>& op = operator_of<T>(handle);
    if (!(device == first))
      throw usage_error("{} is on {}, the other operators on {}: create all of them on one device", op.name(),
                        device.to_string(), first.to_string());
    result.push_back(op);
  }
  return result;
}

template const Operator<float>& operator_of(const OperatorHandle&);
template const Operator<double>& operator_of(const OperatorHandle&);
template std::vector<Operator<float>> operators_of(const Handles&);
template std::vector<Operator<double>> operators_of(const Handles&);

void define_operators(nb::module_& module) {
  define_class(module);
  module.def("nufft", &make_nufft, nb::arg("machine"), nb::arg("is_double"), nb::arg("trajectory"),
             nb::arg("shape"), nb::arg("coils"), nb::arg("tolerance"), nb::arg("oversampling"),
             nb::arg("method"), nb::arg("scaled"));
  module.def("empty", [](const MachinePtr& machine, bool is_double, const Extents& shape) {
    return by_precision(is_double, [&](auto precision) {
      return machine->empty<std::complex<decltype(precision)>>(shape_of(shape));
    });
  });
  module.def("coil_maps", [](const MachinePtr& machine, nb::handle maps) {
    return make_of_array(machine, maps, "maps", [](auto array) -> AnyOperator {
      using T = typename std::decay_t<decltype(array[0])>::value_type;
      return Operator<T>(CoilMaps<T>(std::move(array)));
    });
  });
  module.def("diagonal", [](const MachinePtr& machine, nb::handle weights) {
    return make_of_array(machine, weights, "weights", [](auto array) -> AnyOperator {
      using T = typename std::decay_t<decltype(array[0])>::value_type;
      return Operator<T>(Diagonal<T>(std::move(array)));
    });
  });
  module.def("identity", [](const MachinePtr& machine, bool is_double, const Extents& shape) {
    return make_plain(machine, is_double, [&](auto precision) -> AnyOperator {
      using T = decltype(precision);
      return Operator<T>(Identity<T>(shape_of(shape)));
    });
  });
  module.def("fft", [](const MachinePtr& machine, bool is_double, const Extents& shape, int rank) {
    return make_plain(machine, is_double, [&](auto precision) -> AnyOperator {
      using T = decltype(precision);
      return Operator<T>(Fft<T>(shape_of(shape), rank));
    });
  });
  module.def("wavelet", [](const MachinePtr& machine, bool is_double, const Extents& shape, int space,
                           int vanishing_moments, int levels) {
    return make_plain(machine, is_double, [&](auto precision) -> AnyOperator {
      using T = decltype(precision);
      return Operator<T>(Wavelet<T>(shape_of(shape), space, {vanishing_moments, levels}));
    });
  });
  module.def("gradient", [](const MachinePtr& machine, bool is_double, const Extents& shape,
                            const std::vector<int>& axes) {
    return make_plain(machine, is_double, [&](auto precision) -> AnyOperator {
      using T = decltype(precision);
      return Operator<T>(Gradient<T>(shape_of(shape), axes));
    });
  });
  module.def("product", [](const Handles& factors) {
    return make_of_operators(factors, []<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(Composition<T>(ops));
    });
  });
  module.def("sum", [](const Handles& terms) {
    return make_of_operators(terms, []<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(Sum<T>(ops));
    });
  });
  module.def("scaled", [](std::complex<double> factor, const OperatorHandle& inner) {
    return make_of_operators({inner}, [&]<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(Scaled<T>(factor, ops.front()));
    });
  });
  module.def("adjoint_of", [](const OperatorHandle& inner) {
    return make_of_operators({inner}, []<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return adjoint(ops.front());
    });
  });
  module.def("vstack", [](const Handles& rows) {
    return make_of_operators(rows, []<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(VStack<T>(ops));
    });
  });
  module.def("hstack", [](const Handles& columns) {
    return make_of_operators(columns, []<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(HStack<T>(ops));
    });
  });
  module.def("block_diag", [](const Handles& blocks) {
    return make_of_operators(blocks, []<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(BlockDiag<T>(ops));
    });
  });
  module.def("batched", [](const OperatorHandle& inner, Index count) {
    return make_of_operators({inner}, [&]<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(Batched<T>(ops.front(), count));
    });
  });
  module.def("reshaped", [](const OperatorHandle& inner, const Extents& domain, const Extents& codomain) {
    return make_of_operators({inner}, [&]<typename T>(const std::vector<Operator<T>>& ops) -> AnyOperator {
      return Operator<T>(Reshaped<T>(ops.front(), shape_of(domain), shape_of(codomain)));
    });
  });
}

}  // namespace larmor::python
