#pragma once

#include <larmor/apps/machine/machine.hpp>
#include <larmor/core/communicator/communicator.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <functional>
#include <memory>
#include <string>

namespace larmor::app {

/// --gpus, --split. gpus: as given; empty: no ranks but those of a launcher.
void add_rank_options(Command& command, std::string& gpus, ReconstructOptions& reconstruct);

/// The ranks that share the work, this process or thread being one of them.
struct Ranks {
  std::shared_ptr<Communicator> communicator;  ///< through the host's memory; null: it is alone
  int on_this_machine = 1, place = 0;          ///< how many, and which of these
  bool leads() const { return !communicator || communicator->rank() == 0; }
};
/// Calls `work` once for each rank of this process: a thread for each GPU, or the rank that a launcher has
/// started. Where there are several ranks and one of them throws, the process ends as Session::end_ranks
/// says. Throws Error as ranks_of_launcher().
void run_as_ranks(const std::string& gpus, const Session& session,
                  const std::function<void(const Ranks&)>& work);
/// This rank's device and share of processors and memory.
void take_place(const std::string& gpus, const Ranks& ranks, MachineOptions& machine);
/// The channel through which ranks exchange arrays, those of this device included.
std::shared_ptr<Communicator> connected(const Ranks& ranks, const Device& device);
/// Rank 0 learns, and says, what the others were warned of. All ranks are here without an error then.
void gather_warnings(Communicator& ranks, Console& console);

}  // namespace larmor::app
