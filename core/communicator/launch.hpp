#pragma once

#include <larmor/core/communicator/rank_segment.hpp>
#include <larmor/core/export.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Which of several ranks this process is.
struct RankIdentity {
  int rank = 0;
  std::shared_ptr<RankSegment> segment;
};
/// What lead_ranks() told this process when it started it; nothing in a process that was started otherwise.
/// To be asked once, early: the process then ends with the one that started it. Throws Error (internal) as
/// RankSegment::inherited.
std::optional<RankIdentity> identity_of_rank();

/// Starts this program `ranks` times with the same words, and waits. Where a rank fails, is killed, or stays
/// stopped for `most_stopped_seconds` while this process runs, the others are asked to end, and after
/// `grace_seconds` are killed; so they are when `stop` is set. No rank is left when this returns. Throws
/// Error of the first rank that failed, naming it where it is not rank 0: its own class and message;
/// rank_lost for one that was killed or stopped; cancelled after `stop`; resource when a process cannot be
/// started.
struct LeadOptions {
  double most_stopped_seconds = 3, grace_seconds = 2;
};
void lead_ranks(int ranks, const std::vector<std::string>& words, const std::atomic<bool>& stop,
                const LeadOptions& options = {});

/// "srun", "mpirun" or "mpiexec" where that has started this process as one of several; empty otherwise.
std::string launcher_of_this_process();

}  // namespace larmor
