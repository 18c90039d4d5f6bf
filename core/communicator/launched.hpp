#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <memory>

namespace LARMOR_API larmor {

/// The ranks that a launcher of MPI (mpirun, srun) has started, this process being one of them.
struct LaunchedRanks {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0, on_this_machine = 1;  ///< which, and how many
};
/// By the library larmor-mpi, which is built where MPI is found. To be called once. Throws Error (resource)
/// where it is not there or does not start, with the remedy.
LaunchedRanks ranks_of_launcher(const std::string& launcher);

}  // namespace larmor
