#include <larmor/core/format_error.hpp>
#include <larmor/python/exchange/python_lock.hpp>
#include <larmor/python/exchange/python_object.hpp>
#include <larmor/python/operators/own_term.hpp>

namespace larmor::python {
namespace {

template <typename T>
class OwnFunction final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  explicit OwnFunction(PythonObject object) : object_(std::move(object)) {}
  std::string name() const override { return object_.name(); }
  double value(View<const Scalar> z, Context& ctx) const override {
    const Locked lock;
    double value = 0;
    if (!nb::try_cast(object_.call("value", object_.argument(z, ctx)), value))
      throw usage_error("the result of {}.value is not a real number", object_.name());
    return value;
  }
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
             Index /*iteration*/) const override {
    const Locked lock;
    object_.take("prox", object_.call("prox", weight, object_.argument(z, ctx)), out, ctx);
  }
  std::size_t scratch_bytes(const Context& /*ctx*/) const override { return 0; }

 private:
  PythonObject object_;
};

}  // namespace

template <typename T>
std::shared_ptr<const ProximalMap<T>> own_function(nb::object object, std::shared_ptr<Machine> machine) {
  return std::make_shared<const OwnFunction<T>>(PythonObject(std::move(object), std::move(machine)));
}

template std::shared_ptr<const ProximalMap<float>> own_function(nb::object, std::shared_ptr<Machine>);
template std::shared_ptr<const ProximalMap<double>> own_function(nb::object, std::shared_ptr<Machine>);

}  // namespace larmor::python
