#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <memory>
#include <string>

namespace LARMOR_API larmor {

/// "srun", "mpirun", "mpiexec" or "torchrun" if that has started this process as one of several; otherwise
/// empty.
std::string launcher_of_this_process();

/// The ranks started by an MPI launcher, of which this process is one.
struct LaunchedRanks {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0, on_this_machine = 1;  ///< index of this rank, and number of ranks
};
/// Uses the library larmor-mpi, which is built if MPI is found. Call it once. Throws Error (resource) if the
/// library does not exist, or belongs to another MPI than the launcher.
LaunchedRanks ranks_of_launcher(const std::string& launcher);

}  // namespace larmor
