#pragma once

#include <larmor/python/operators/operators.hpp>

namespace larmor::python {

/// Defines own_operator(machine, is_double, domain, codomain, object): an operator whose apply and adjoint
/// are the methods of a Python object, which is not kept alive. It works on the CPU.
void define_own_operator(nb::module_& module);

}  // namespace larmor::python
