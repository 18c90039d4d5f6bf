#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/version.hpp>

#include <optional>
#include <string>

namespace LARMOR_API larmor {

/// Where ranks on one machine or several find each other.
struct MeetingPlace {
  int rank = 0, size = 1;
  std::string host = "127.0.0.1";  ///< of rank 0: a name or an address
  int port = 29501;                ///< at which rank 0 listens
  int ports = 1;                   ///< so many are tried from there on, where others listen already
  std::string job;      ///< tells its ranks from those of other jobs that have come to the same port
  double seconds = 60;  ///< until all have to be there
  std::string version = larmor::version();  ///< of the program, which has to be the same for all
};

/// What whoever has started this process as one of several says of that. Rank and size: RANK and WORLD_SIZE,
/// or those of mpirun (OMPI_COMM_WORLD_), mpiexec (PMI_) or srun (SLURM_). The place: MASTER_ADDR and the
/// port after MASTER_PORT, at which PyTorch may listen itself; otherwise this machine where all are on one,
/// or the first of srun's, and a port made of the job's number. The time: LARMOR_MEETING_SECONDS. Nothing
/// where it says of no ranks, or of one. Throws Error (usage) where it says too little, or what is no number.
std::optional<MeetingPlace> meeting_place_of_environment();

/// The first machine of Slurm's list: "node01" of "node[01-04,7],other".
std::string first_of_nodes(const std::string& list);

}  // namespace larmor
