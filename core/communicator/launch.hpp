#pragma once

#include <larmor/core/communicator/rank_segment.hpp>
#include <larmor/core/export.hpp>

#include <atomic>
#include <functional>
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

/// Starts this program once more with the same words, as the rank that a launcher has started this process to
/// be, and waits: a launcher sees neither that a rank is stopped nor gives a status of its own to one that
/// was killed. `stop` is handed on; after `grace_seconds` the rank is killed. Returns its exit status. Throws
/// Error: rank_lost when it was killed or stopped, naming it by `name`, cancelled when that was after `stop`;
/// resource as lead_ranks.
int guard_rank(const std::string& name, const std::vector<std::string>& words, const std::atomic<bool>& stop,
               const LeadOptions& options = {});
/// To be called by a guarded rank before it ends: a guard that is stopped would not see that.
void wake_guard();
/// Calls `then` on a thread of its own, with what has happened, where the process that guards this one was
/// killed (after outlive_guard()), or stays stopped for `most_stopped_seconds` while this one runs; `then`
/// ends the process. To be called once, in a guarded rank.
void watch_guard(std::function<void(const std::string& how)> then, const LeadOptions& options = {});
/// From now on a guarded rank does not end with its guard, but by what watch_guard() was given: where no
/// launcher says that the guard was killed. To be called by the thread that has called identity_of_rank().
void outlive_guard();

/// "srun", "mpirun", "mpiexec" or "who set WORLD_SIZE" (with RANK, MASTER_ADDR and MASTER_PORT, as torchrun
/// does) where that has started this process as one of several; empty otherwise.
std::string launcher_of_this_process();
/// What RANK and WORLD_SIZE, being there, lack to start one of several ranks: "MASTER_ADDR and MASTER_PORT",
/// or one of them; empty where nothing is missing.
std::string missing_of_environment();
/// "rank 3" of the launcher; empty where it does not say which.
std::string name_by_launcher();

}  // namespace larmor
