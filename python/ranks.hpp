#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/python/exchange/arrays.hpp>

#include <map>
#include <memory>

namespace larmor::python {

/// What larmor.Ranks holds: several processes of Python that work together, this being one of them.
struct RanksHandle {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0, on_this_machine = 1;
  /// By ordinal, of the CUDA devices that arrays have been exchanged from.
  std::shared_ptr<std::map<int, std::shared_ptr<Communicator>>> of_devices =
      std::make_shared<std::map<int, std::shared_ptr<Communicator>>>();

  /// For arrays of this device as well; all ranks ask together.
  std::shared_ptr<Communicator> on(const Device& device) const;
};

/// Defines the class, and the function that makes it of a communicator of mpi4py.
void define_ranks(nb::module_& module);

}  // namespace larmor::python
