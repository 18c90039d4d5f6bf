#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <memory>
#include <string>

namespace LARMOR_API larmor {

/// "srun", "mpirun", "mpiexec" or "torchrun" where that has started this process as one of several; empty
/// otherwise.
std::string launcher_of_this_process();

/// The ranks that a launcher of MPI has started, this process being one of them.
struct LaunchedRanks {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0, on_this_machine = 1;  ///< which, and how many
};
/// By the library larmor-mpi, which is built where MPI is found. To be called once. Throws Error (resource)
/// where there is none, or where it belongs to another MPI than the launcher.
LaunchedRanks ranks_of_launcher(const std::string& launcher);

}  // namespace larmor
