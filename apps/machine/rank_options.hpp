#pragma once

#include <larmor/apps/machine/machine.hpp>
#include <larmor/core/communicator/communicator.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <functional>
#include <memory>
#include <string>

namespace larmor::app {

/// --gpus, --split. gpus: as given; empty: no ranks other than those of a launcher.
void add_rank_options(Command& command, std::string& gpus, ReconstructOptions& reconstruct);

/// The ranks that share the work; this process or thread is one of them.
struct Ranks {
  std::shared_ptr<Communicator> communicator;  ///< through host memory; null: there is one rank
  int on_this_machine = 1, place = 0;          ///< number of ranks, and the index of this one
  bool leads() const { return !communicator || communicator->rank() == 0; }
};
/// Calls `work` once for each rank of this process: a thread for each GPU, or the rank started by a launcher.
/// If there are several ranks and one of them throws, the process ends as described for Session::end_ranks.
/// Throws Error as ranks_of_launcher().
void run_as_ranks(const std::string& gpus, const Session& session,
                  const std::function<void(const Ranks&)>& work);
/// The device of this rank and its share of processors and memory.
void take_place(const std::string& gpus, const Ranks& ranks, MachineOptions& machine);
/// The communicator through which ranks exchange arrays, including those on this device.
std::shared_ptr<Communicator> connected(const Ranks& ranks, const Device& device);
/// Rank 0 collects and prints the warnings of the others. Call this when all ranks have finished without an
/// error.
void gather_warnings(Communicator& ranks, Console& console);

}  // namespace larmor::app
