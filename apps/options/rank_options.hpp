#pragma once

#include <larmor/apps/options/machine.hpp>
#include <larmor/core/communicator/communicator.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <memory>
#include <string>
#include <vector>

namespace larmor::app {

/// How many processes work on one reconstruction, and where.
struct ProcessOptions {
  std::string gpus;  ///< as given
  int ranks = 1;     ///< without gpus: on the device of the machine options
};

/// --gpus, --ranks, --split
void add_rank_options(Command& command, ProcessOptions& options, ReconstructOptions& reconstruct);

/// How many processes this one is to start, being none of them; 0: none. Throws Error (usage) where another
/// program has started several of these.
int ranks_to_lead(const ProcessOptions& options, const Session& session);

/// This process's device and share of processors and memory among the ranks, if it is one.
void take_place(const ProcessOptions& options, const Session& session, MachineOptions& machine);
/// What it exchanges with the others; null: it is alone. Warns where devices exchange through the host.
std::shared_ptr<Communicator> communicator_of(const ProcessOptions& options, const Session& session,
                                              Machine& machine);
/// Rank 0 learns, and says, what the others were warned of. All ranks are here without an error then.
void gather_warnings(Communicator& ranks, Console& console);

}  // namespace larmor::app
