#pragma once

#include <larmor/apps/machine/device_choice.hpp>
#include <larmor/apps/machine/device_start.hpp>
#include <larmor/apps/output/console.hpp>
#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/context.hpp>
#include <larmor/options/reconstruction/machine_options.hpp>
#include <larmor/options/stopwatch.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace larmor::app {

/// State of one invocation of recon; main owns it.
struct Session {
  std::vector<std::string> command;           ///< the words of the command line
  std::string configuration = {};             ///< the configuration file; empty: none
  const std::atomic<bool>* cancel = nullptr;  ///< set by Ctrl-C
  /// In an exception handler: prints the error as at the end of the command; returns the exit status.
  std::function<ErrorClass()> complain;
  /// In an exception handler of one of several ranks: prints the error, and ends all of them.
  std::function<void(Communicator&)> end_ranks;
  /// Call this before an orderly end that takes time: from then on signals do not end the process.
  std::function<void()> begin_to_end = {};
};

/// The files that a command reads, including the configuration file.
std::vector<std::string> all_inputs(std::vector<std::string> files, const Session& session);

/// A context for `options`, and the console that it reports to. It starts as a CPU context, with which files
/// are read, while the device is initialised; use_device() switches to that.
class Machine {
 public:
  /// alone: no other thread of this process starts a device.
  Machine(const MachineOptions& options, const Session& session, bool alone = true);
  /// Announces that this many bytes will be read. If that takes long, a GPU is started meanwhile; for small
  /// scans it is not yet known whether one is needed.
  void expect_reading(std::uint64_t bytes);
  /// From here on the context uses the device of the options; auto: the GPU if there is one.
  void take_device();
  /// The same; auto: the device that is expected to finish first. A GPU that the options name may still be
  /// starting.
  void take_device(const Workload& work);
  /// Call this when all work on the device is done and nothing on it is used any more: the context becomes a
  /// CPU context again, and the GPU is released meanwhile, which would take a tenth of a second at the end of
  /// the process.
  void let_go_of_device();
  /// Throws Error (resource) if a device was requested that cannot be used.
  void require_device();
  DeviceStart::Times device_start() const { return start_.times(); }
  /// With --json: prints version, command, outputs, notes, warnings and seconds on stdout.
  void print_result(const Session& session, const std::vector<std::string>& outputs) const;

  std::shared_ptr<Console> console;
  const std::atomic<bool>* cancel;
  Context ctx;

 private:
  void use(const Device& device);

  MachineOptions options_;
  Stopwatch since_begin_;
  DeviceStart start_;
};

}  // namespace larmor::app
