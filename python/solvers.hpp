#pragma once

#include <larmor/python/exchange/machine.hpp>

namespace larmor::python {

/// Defines the solvers by name, named terms and terms written in Python, and the list of both.
void define_solvers(nb::module_& module);

}  // namespace larmor::python
