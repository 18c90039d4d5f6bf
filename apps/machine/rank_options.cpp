#include <larmor/apps/machine/rank_options.hpp>
#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/communicator/network/launched.hpp>
#include <larmor/core/communicator/shared_memory.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/options/reconstruction/reconstruct_options.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace larmor::app {
namespace {

constexpr Index most_devices = 64;

// The CUDA devices of "all", "4" or "0,2".
std::vector<int> devices_of(const std::string& text) {
  std::vector<int> devices;
  if (text == "all") {
    for (int i = 0; i < cuda_device_count(); ++i) devices.push_back(i);
    if (devices.empty()) require_available(Device::cuda());
  } else if (text.find(',') == std::string::npos) {
    for (int i = 0; i < static_cast<int>(count_in(text, 1, most_devices)); ++i) devices.push_back(i);
  } else {
    std::set<int> seen;
    for (const std::string& part : split(text, ','))
      devices.push_back(static_cast<int>(count_in(part, 0, most_devices - 1)));
    if (std::set<int>(devices.begin(), devices.end()).size() < devices.size())
      throw usage_error("a GPU is named twice");
  }
  return devices;
}

int ranks_of(const ProcessOptions& options) {
  return options.gpus.empty() ? options.ranks : static_cast<int>(devices_of(options.gpus).size());
}

void warn_of_detour(const std::string& why_not, Console& console) {
  console.warning("GPUs exchange through the host's memory, which is slow: " + why_not);
}

}  // namespace

void add_rank_options(Command& command, ProcessOptions& options, ReconstructOptions& reconstruct) {
  command.heading("Several GPUs or processes");
  command.value("--gpus", "all|N|LIST",
                "share the work among all GPUs of this machine, the first N, or those of a list such as 0,2: "
                "one process each, which this one starts and ends",
                [&options](const std::string& text) {
                  if (text != "all") devices_of(text);
                  options.gpus = text;
                });
  command.value("--ranks", "N",
                "share the work among N processes on the processor, or on the GPU of --device",
                [&options](const std::string& text) {
                  options.ranks = static_cast<int>(count_in(text, 1, RankSegment::most_ranks));
                });
  add_split_option(command, reconstruct);
  command.exclude({"--gpus", "--ranks"});
  command.exclude({"--gpus", "--device"});
}

int ranks_to_lead(const ProcessOptions& options, const Session& session) {
  if (session.rank || !launcher_of_this_process().empty()) return 0;
  const int ranks = ranks_of(options);
  return ranks == 1 ? 0 : ranks;
}

bool is_to_guard(const Session& session) {
  return !session.rank && !session.guarded && !launcher_of_this_process().empty();
}

Ranks join_ranks(const ProcessOptions& options, const Session& session) {
  if (session.rank) {
    const auto& [rank, segment] = *session.rank;
    return {std::make_shared<SharedMemoryCommunicator>(segment, rank), segment->ranks(), rank};
  }
  const std::string launcher = launcher_of_this_process();
  if (launcher.empty()) return {};
  if (options.ranks > 1)
    throw usage_error(
        "{} has started several of these processes: let it start as many as are wanted, or one that "
        "starts the others",
        launcher)
        .about("ranks");
  LaunchedRanks launched = ranks_of_launcher(launcher, session.lost);
  session.joined->set(launched.communicator);
  const bool launcher_tells = launched.communicator->name() == "MPI";
  if (session.guarded && !launcher_tells) outlive_guard();
  launched.communicator->barrier();
  return {launched.communicator, launched.on_this_machine, launched.local_rank};
}

void take_place(const ProcessOptions& options, const Ranks& ranks, MachineOptions& machine) {
  if (!options.gpus.empty()) {
    const auto devices = devices_of(options.gpus);
    // A launcher may show each of its processes a GPU of its own.
    machine.device =
        Device::cuda(devices[static_cast<std::size_t>(ranks.place) % devices.size()]).to_string();
  }
  machine.silent = !ranks.leads();
  if (ranks.on_this_machine == 1) return;
  if (machine.threads == 0) machine.threads = std::max(1, Context().threads() / ranks.on_this_machine);
  if (machine.memory_limit == 0 && !Device::parse(machine.device).on_gpu())
    machine.memory_limit = available_memory_bytes() / static_cast<std::size_t>(ranks.on_this_machine);
}

DeviceExchange::DeviceExchange(const ProcessOptions& options, const Ranks& ranks,
                               const MachineOptions& machine)
    : host_(ranks.communicator) {
  if (!host_ || options.gpus.empty()) return;
  // The order in which NCCL adds is that of its algorithm, which it chooses by measurements unless it is
  // told.
  if (machine.deterministic) ::setenv("NCCL_ALGO", "Ring", 0);
  between_devices_ = std::async(std::launch::async, [this, device = Device::parse(machine.device)] {
    return with_nccl(host_, device, &why_not_);
  });
}

std::shared_ptr<Communicator> DeviceExchange::ready(Console& console) {
  if (!between_devices_.valid()) return host_;
  auto communicator = between_devices_.get();
  // The processes' end takes the GPUs apart sooner than NCCL does. A launcher wants to see its ranks go
  // first.
  static std::shared_ptr<Communicator> kept;
  if (launcher_of_this_process().empty()) kept = communicator;
  if (!why_not_.empty()) warn_of_detour(why_not_, console);
  return communicator;
}

void DeviceExchange::tell_detour(const Communicator& ranks, Console& console) {
  if (const std::string why_not = ranks.detour(); !why_not.empty()) warn_of_detour(why_not, console);
}

void gather_warnings(Communicator& ranks, Console& console) {
  for (int rank = 1; rank < ranks.size(); ++rank) {
    std::string text;
    for (const std::string& warning : console.warnings()) text += warning + "\n";
    for (const std::string& warning : split(ranks.broadcast(text, rank), '\n')) {
      const auto& known = console.warnings();
      if (ranks.rank() == 0 && !warning.empty() &&
          std::find(known.begin(), known.end(), warning) == known.end())
        console.warning(fmt::format("rank {}: {}", rank, warning));
    }
  }
}

}  // namespace larmor::app
