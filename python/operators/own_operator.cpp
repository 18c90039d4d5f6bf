#include <larmor/python/exchange/python_lock.hpp>
#include <larmor/python/exchange/python_object.hpp>
#include <larmor/python/operators/own_operator.hpp>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

namespace larmor::python {
namespace {

template <typename T>
class OwnOperator final : public TwoWayOperator<OwnOperator<T>, T> {
 public:
  using Scalar = std::complex<T>;
  OwnOperator(const Shape& domain, const Shape& codomain, PythonObject object)
      : TwoWayOperator<OwnOperator<T>, T>(domain, codomain), object_(std::move(object)) {}
  std::string name() const override { return object_.name(); }
  std::size_t scratch_bytes(const Context& /*ctx*/) const override { return 0; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override {
    const char* method = way == Direction::forward ? "apply" : "adjoint";
    const Locked lock;
    object_.take(method, object_.call(method, object_.argument(in, ctx)), out, ctx,
                 write == Write::accumulate);
  }

 private:
  PythonObject object_;
};

}  // namespace

void define_own_operator(nb::module_& module) {
  module.def("own_operator",
             [](const std::shared_ptr<Machine>& machine, bool is_double, const std::vector<Index>& domain,
                const std::vector<Index>& codomain, nb::object object) {
               OperatorHandle result{machine, {}};
               by_precision(is_double, [&](auto precision) {
                 using T = decltype(precision);
                 result.op = Operator<T>(OwnOperator<T>(shape_of(domain), shape_of(codomain),
                                                        PythonObject(object, machine, true)));
               });
               return result;
             });
}

}  // namespace larmor::python
