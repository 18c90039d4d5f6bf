#include <larmor/apps/machine/rank_options.hpp>
#include <larmor/core/communicator/launched.hpp>
#include <larmor/core/communicator/nccl.hpp>
#include <larmor/core/communicator/threads.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/options/reconstruction/reconstruct_options.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

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

// Runs one of several ranks; if it fails, all of them end.
void run_rank(const Ranks& ranks, const Session& session, const std::function<void(const Ranks&)>& work) {
  try {
    work(ranks);
  } catch (...) {
    session.end_ranks(*ranks.communicator);
  }
}

}  // namespace

void add_rank_options(Command& command, std::string& gpus, ReconstructOptions& reconstruct) {
  command.heading("Several GPUs or processes");
  command.value("--gpus", "all|N|LIST",
                "share the work among all GPUs of this machine, the first N, or those of a list such as 0,2",
                [&gpus](const std::string& text) {
                  if (text != "all") devices_of(text);
                  gpus = text;
                });
  add_split_option(command, reconstruct);
  command.exclude({"--gpus", "--device"});
}

void run_as_ranks(const std::string& gpus, const Session& session,
                  const std::function<void(const Ranks&)>& work) {
  if (const std::string launcher = launcher_of_this_process(); !launcher.empty()) {
    const LaunchedRanks launched = ranks_of_launcher(launcher);
    return run_rank({launched.communicator, launched.on_this_machine, launched.local_rank}, session, work);
  }
  const int count = gpus.empty() ? 1 : static_cast<int>(devices_of(gpus).size());
  if (count == 1) return work({});
  const auto ranks = ranks_of_threads(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      run_rank({ranks[static_cast<std::size_t>(rank)], count, rank}, session, work);
    });
  for (std::thread& thread : threads) thread.join();
}

void take_place(const std::string& gpus, const Ranks& ranks, MachineOptions& machine) {
  if (!gpus.empty()) {
    const auto devices = devices_of(gpus);
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

std::shared_ptr<Communicator> connected(const Ranks& ranks, const Device& device) {
  if (!ranks.communicator) return nullptr;
  const bool on_gpus = ranks.communicator->all_reduce(device.on_gpu() ? 1 : 0, Reduction::maximum) > 0;
  return on_gpus ? with_nccl(ranks.communicator, device) : ranks.communicator;
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
