#pragma once

#include <larmor/apps/machine/machine.hpp>
#include <larmor/core/communicator/communicator.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <future>
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

/// How many processes this one is to start, being none of them; 0: none.
int ranks_to_lead(const ProcessOptions& options, const Session& session);
/// Whether a launcher has started this process as one of several, which a process of its own is to be.
bool is_to_guard(const Session& session);

/// The ranks that this process is one of, whoever has started them.
struct Ranks {
  std::shared_ptr<Communicator> communicator;  ///< through the host's memory; null: it is alone
  int on_this_machine = 1, place = 0;          ///< how many, and which of these
  bool leads() const { return !communicator || communicator->rank() == 0; }
};
/// Throws Error: usage where a launcher has started several of these processes, each of which is asked to
/// start others; as ranks_of_launcher.
Ranks join_ranks(const ProcessOptions& options, const Session& session);
/// This process's device and share of processors and memory.
void take_place(const ProcessOptions& options, const Ranks& ranks, MachineOptions& machine);
/// What devices exchange arrays through, which gets ready beside other work.
class DeviceExchange {
 public:
  /// machine: as take_place has left it.
  DeviceExchange(const ProcessOptions& options, const Ranks& ranks, const MachineOptions& machine);
  /// Waits until all ranks know it; null: this process is alone. Warns where it is the host's memory.
  std::shared_ptr<Communicator> ready(Console& console);
  /// In the end: the same warning, where devices could not be connected.
  static void tell_detour(const Communicator& ranks, Console& console);

 private:
  std::shared_ptr<Communicator> host_;
  std::string why_not_;
  std::future<std::shared_ptr<Communicator>> between_devices_;
};
/// Rank 0 learns, and says, what the others were warned of. All ranks are here without an error then.
void gather_warnings(Communicator& ranks, Console& console);

}  // namespace larmor::app
