#pragma once

#include <larmor/apps/serve/session_log.hpp>
#include <larmor/apps/serve/stream_session.hpp>
#include <larmor/options/reconstruction/machine_options.hpp>

#include <fstream>
#include <memory>
#include <string>

namespace larmor::app {

/// Options of both `recon stream` and `recon serve`.
struct StreamCommandOptions {
  StreamOptions session;
  MachineOptions machine;
};

/// --recipes, --record, --time-out
void add_stream_options(Command& command, StreamCommandOptions& options);
/// Throws Error (input) for folders that do not exist.
void check_folders(const StreamOptions& options);

/// Saves a stream as it arrives, in a file that `recon stream` can replay and that is complete up to a crash.
/// At the end it is also written as an ISMRMRD file, which `recon run` reads.
class Recording {
 public:
  /// Does nothing if no folder is given. Throws Error (resource) if no file can be created in it.
  Recording(const StreamOptions& options, const SessionLog& log);
  /// `read`, with its data recorded. Borrows the recording.
  mrd::ReadBytes of(mrd::ReadBytes read) const;
  /// Writes the ISMRMRD file. Errors are only logged, because the images have been sent.
  void finish(std::size_t memory_limit) const;

 private:
  const SessionLog& log_;
  std::string name_;  // without extension; empty: no recording
  std::unique_ptr<std::ofstream> file_;
};

}  // namespace larmor::app
