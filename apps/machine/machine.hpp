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

/// What one invocation of recon knows; main owns it.
struct Session {
  std::vector<std::string> command;           ///< the words of the command line
  std::string configuration = {};             ///< the file that further options come from; empty: none
  const std::atomic<bool>* cancel = nullptr;  ///< set by Ctrl-C
  /// Within a handler of exceptions: says what went wrong as at the end of the command; the exit status.
  std::function<ErrorClass()> complain;
  /// Within a handler of exceptions, by one of several ranks: says what went wrong, and ends all of them.
  std::function<void(Communicator&)> end_ranks;
  /// Before an orderly end that takes its time: from then on signals do not end the process.
  std::function<void()> begin_to_end = {};
};

/// The files that a command reads, and the configuration file.
std::vector<std::string> all_inputs(std::vector<std::string> files, const Session& session);

/// A context for `options`, and the console that it reports to. The context is this computer's processor,
/// with which files are read, until a device is taken; that one gets ready meanwhile.
class Machine {
 public:
  /// alone: no other thread of this process starts a device.
  Machine(const MachineOptions& options, const Session& session, bool alone = true);
  /// So many bytes are about to be read. A GPU starts meanwhile if that takes long; before small scans it is
  /// not known yet whether it will be wanted.
  void expect_reading(std::uint64_t bytes);
  /// From here on the context is the device of the options; auto: the GPU where there is one.
  void take_device();
  /// The same; auto: whichever is expected to be done sooner, which is told where it is wanted.
  void take_device(const Workload& work, bool told);
  /// All that is wanted of the device is done, and nothing of it is used any more: the context is the
  /// processor again. A GPU is cleared away meanwhile, which takes a tenth of a second at the end of the
  /// process.
  void let_go_of_device();
  /// Throws Error (resource) when a device was asked for and cannot be used.
  void require_device();
  DeviceStart::Times device_start() const { return start_.times(); }
  /// With --json: version, command, outputs, notes, warnings and seconds on stdout.
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
