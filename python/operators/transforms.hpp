#pragma once

#include <larmor/python/exchange/machine.hpp>

namespace larmor::python {

/// Defines Transform: plan, set points, execute, of types 1 to 3, behind larmor.finufft.
void define_transforms(nb::module_& module);

}  // namespace larmor::python
