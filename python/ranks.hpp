#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/python/exchange/arrays.hpp>

#include <map>
#include <memory>

namespace larmor::python {

/// Held by larmor.Ranks: several Python processes that work together, of which this is one.
struct RanksHandle {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0, on_this_machine = 1;
  /// By ordinal, for the CUDA devices whose arrays have been exchanged.
  std::shared_ptr<std::map<int, std::shared_ptr<Communicator>>> of_devices =
      std::make_shared<std::map<int, std::shared_ptr<Communicator>>>();

  /// Communicator for arrays on this device as well; all ranks call it together.
  std::shared_ptr<Communicator> on(const Device& device) const;
};

/// Defines the class, and the function that makes it from an mpi4py communicator.
void define_ranks(nb::module_& module);

}  // namespace larmor::python
