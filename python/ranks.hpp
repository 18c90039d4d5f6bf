#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/python/exchange/arrays.hpp>

#include <memory>

namespace larmor::python {

/// What larmor.Ranks holds: several processes of Python that work together, this being one of them.
struct RanksHandle {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0, on_this_machine = 1;
};

/// Defines the class, and the functions by which ranks find each other.
void define_ranks(nb::module_& module);

}  // namespace larmor::python
