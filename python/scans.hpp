#pragma once

#include <larmor/python/exchange/machine.hpp>

namespace larmor::python {

/// Defines scans: read, simulated, inspected, and reconstructed as a whole or step by step.
void define_scans(nb::module_& module);

}  // namespace larmor::python
