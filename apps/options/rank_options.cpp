#include <larmor/apps/options/rank_options.hpp>
#include <larmor/apps/options/values.hpp>
#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/communicator/shared_memory.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <algorithm>
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
  command.choice<Split>("--split",
                        "what is shared out. auto: images or series where there are as many as processes, "
                        "then the frames of a series, then coils",
                        reconstruct.ranks.split,
                        {{"auto", Split::automatic},
                         {"frames", Split::frames},
                         {"coils", Split::coils},
                         {"samples", Split::samples}});
  command.exclude({"--gpus", "--ranks"});
  command.exclude({"--gpus", "--device"});
}

int ranks_to_lead(const ProcessOptions& options, const Session& session) {
  if (session.rank) return 0;
  const std::string launcher = launcher_of_this_process();
  if (!launcher.empty())
    throw usage_error(
        "{} has started several of these processes, each of which would write the same files: let it start "
        "one, which starts the others itself (--gpus, --ranks)",
        launcher);
  const int ranks = ranks_of(options);
  return ranks == 1 ? 0 : ranks;
}

void take_place(const ProcessOptions& options, const Session& session, MachineOptions& machine) {
  const int rank = session.rank ? session.rank->rank : 0;
  const int ranks = session.rank ? session.rank->segment->ranks() : 1;
  if (!options.gpus.empty())
    machine.device = Device::cuda(devices_of(options.gpus).at(static_cast<std::size_t>(rank))).to_string();
  if (ranks == 1) return;
  machine.silent = rank > 0;
  if (machine.threads == 0) machine.threads = std::max(1, Context().threads() / ranks);
  if (machine.memory_limit == 0 && !Device::parse(machine.device).on_gpu())
    machine.memory_limit = available_memory_bytes() / static_cast<std::size_t>(ranks);
}

std::shared_ptr<Communicator> communicator_of(const ProcessOptions& options, const Session& session,
                                              Machine& machine) {
  if (!session.rank) return nullptr;
  const auto host = std::make_shared<SharedMemoryCommunicator>(session.rank->segment, session.rank->rank);
  if (options.gpus.empty()) return host;
  std::string why_not;
  auto ranks = with_nccl(host, machine.ctx.device(), &why_not);
  if (!why_not.empty())
    machine.console->warning("GPUs exchange through the host's memory, which is slow: " + why_not);
  return ranks;
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
