#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <functional>
#include <memory>
#include <string>

namespace LARMOR_API larmor {

/// The ranks that a launcher (mpirun, srun, torchrun) has started, this process being one of them.
struct LaunchedRanks {
  std::shared_ptr<Communicator> communicator;
  int local_rank = 0, on_this_machine = 1;  ///< which, and how many
};
/// By the library larmor-mpi, which is built where MPI is found, where the launcher is one of MPI; otherwise
/// by TCP, see meeting_place_of_environment(). To be called once. lost: see TcpCommunicator::watch(); MPI
/// ends processes itself. Throws Error (resource) where neither is possible, with the remedy, and as meet().
LaunchedRanks ranks_of_launcher(const std::string& launcher,
                                std::function<void(int, const std::string&)> lost);

}  // namespace larmor
