#pragma once

#include <larmor/operators/linear_operator.hpp>
#include <larmor/python/exchange/machine.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace larmor::python {

using AnyOperator = std::variant<Operator<float>, Operator<double>>;

/// A linear operator of either precision, and its context: held by larmor.LinearOperator.
struct OperatorHandle {
  std::shared_ptr<Machine> machine;
  AnyOperator op;

  bool is_double() const { return op.index() == 1; }
  Shape domain() const;
  Shape codomain() const;
};

/// body(T{}) with T = double or float.
template <typename Body>
auto by_precision(bool is_double, const Body& body) {
  return is_double ? body(double{}) : body(float{});
}

/// The operator of a handle, whose precision is known. Throws Error (usage) for the other precision.
template <typename T>
const Operator<T>& operator_of(const OperatorHandle& handle);
/// The same for several operators, which must have one precision and one device.
template <typename T>
std::vector<Operator<T>> operators_of(const std::vector<OperatorHandle>& handles);

/// Defines the class and the functions that make operators.
void define_operators(nb::module_& module);

}  // namespace larmor::python
