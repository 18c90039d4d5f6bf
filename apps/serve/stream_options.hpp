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
/// Throws Error (input) for folders that are not there.
void check_folders(const StreamOptions& options);

/// Keeps a stream as it arrives: a file that `recon stream` replays, written to the last byte before a crash.
/// At the end the same as an ISMRMRD file, which `recon run` reads.
class Recording {
 public:
  /// Does nothing where no folder is given. Throws Error (resource) where no file can be made in it.
  Recording(const StreamOptions& options, const SessionLog& log);
  /// `read`, and what it reads is kept. Borrows the recording.
  mrd::ReadBytes of(mrd::ReadBytes read) const;
  /// Writes the ISMRMRD file. What goes wrong is logged: the images have been sent.
  void finish(std::size_t memory_limit) const;

 private:
  const SessionLog& log_;
  std::string name_;  // without extension; empty: nothing is kept
  std::unique_ptr<std::ofstream> file_;
};

}  // namespace larmor::app
