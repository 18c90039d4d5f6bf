#pragma once

#include <larmor/python/operators/operators.hpp>
#include <larmor/solvers/problem/problem.hpp>

#include <memory>

namespace larmor::python {

/// g of a term written in Python: an object with value(z) and prox(weight, z). It works on the machine's
/// device.
template <typename T>
std::shared_ptr<const ProximalMap<T>> own_function(nb::object object, std::shared_ptr<Machine> machine);

}  // namespace larmor::python
