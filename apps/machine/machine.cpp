#include <larmor/apps/machine/machine.hpp>
#include <larmor/core/cuda/check.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/core/version.hpp>

#include <nlohmann/json.hpp>

#include <system_error>
#include <thread>

namespace larmor::app {
namespace {

// Bytes per second of a file on a fast disk: a rough estimate for the remaining time.
constexpr double reading_rate = 400e6;

}  // namespace

std::vector<std::string> all_inputs(std::vector<std::string> files, const Session& session) {
  if (!session.configuration.empty()) files.push_back(session.configuration);
  return files;
}

Machine::Machine(const MachineOptions& options, const Session& session, bool alone)
    : console(std::make_shared<Console>(options.quiet, options.verbose, options.silent)),
      cancel(session.cancel),
      ctx(Device::cpu(), {.threads = options.threads,
                          .deterministic = options.deterministic,
                          .memory_limit = options.memory_limit,
                          .reporter = console,
                          .cancel = session.cancel}),
      options_(options),
      start_(options.device) {
  if (alone) start_.take_few_queues();
  if (options.device != "auto") start_.begin();
  if (start_.may_be_gpu()) return;
  // Applies also to work outside any plan: files that are read, calibration.
  limit_host_arrays(options.memory_limit);
  if constexpr (cuda::built)
    if (options.device == "auto" && addresses_are_limited())
      console->say("ulimit -v leaves no room for the addresses that CUDA reserves: working on the CPU");
}

void Machine::print_result(const Session& session, const std::vector<std::string>& outputs) const {
  if (!options_.json) return;
  const nlohmann::ordered_json json{
      {"version", version()},      {"command", session.command},      {"outputs", outputs},
      {"notes", console->notes()}, {"warnings", console->warnings()}, {"seconds", since_begin_.seconds()}};
  print_out(json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void Machine::expect_reading(std::uint64_t bytes) {
  console->expect({{"read", static_cast<double>(bytes) / reading_rate}});
  console->progress("read", 0, 0, "");
  constexpr std::uint64_t takes_long = std::uint64_t{32} << 20;
  if (bytes >= takes_long) start_.begin();
}

void Machine::use(const Device& device) {
  if (!device.on_gpu()) return limit_host_arrays(options_.memory_limit);
  ctx = Context::starting(device, {.threads = options_.threads,
                                   .deterministic = options_.deterministic,
                                   .memory_limit = options_.memory_limit,
                                   .reporter = console,
                                   .cancel = cancel});
}

void Machine::take_device() {
  use(start_.device());
}

void Machine::take_device(const Workload& work) {
  if (!start_.may_be_gpu()) return take_device();
  if (options_.device != "auto") return use(start_.asked());
  const PredictedTimes expected = predicted_times(work, ctx.threads());
  const bool on_cpu = expected.cpu < expected.gpu;
  const Device device = on_cpu ? Device::cpu() : start_.device();
  use(device);
  const bool gpu = device.on_gpu();
  if (on_cpu || gpu)
    console->detail(fmt::format("{} is expected to finish first: after {:.1f} s, {} after {:.1f} s",
                                gpu ? "the GPU" : "the CPU", gpu ? expected.gpu : expected.cpu,
                                gpu ? "the CPU" : "a GPU", gpu ? expected.cpu : expected.gpu));
}

void Machine::let_go_of_device() {
  if (!ctx.on_gpu()) return;
  const int ordinal = ctx.device().ordinal;
  ctx = ctx.host();
  if constexpr (cuda::built) try {
      std::thread([ordinal] { cuda::reset(ordinal); }).detach();
    } catch (const std::system_error&) {  // no thread: the device is released at the end of the process
    }
}

void Machine::require_device() {
  if (options_.device != "auto") start_.device();
}

}  // namespace larmor::app
