#pragma once

#include <larmor/apps/output/console.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace larmor::app {

/// Parses a checkpoint of this many bytes. Throws std::runtime_error with the reason, as the end of a
/// sentence, if it is invalid or damaged, Error (resource) if there is not enough memory.
SavedState read_checkpoint(std::istream& file, std::uintmax_t size);

/// The file of --checkpoint: one line of JSON, padded to a multiple of 16 bytes, then the numbers of the
/// solver as doubles and its vectors, and a CRC-32 of everything. It is written completely or not at all. A
/// file that is not a checkpoint is never replaced.
class CheckpointFile {
 public:
  /// Reads the file if it exists; an empty path: none. Throws Error (input) if it is not a checkpoint or
  /// damaged. The console is borrowed.
  CheckpointFile(std::string path, Console& console);
  /// Makes the solver resume from the file and write to it; the options must not outlive this object. A
  /// checkpoint that cannot be written is reported on the console and the reconstruction goes on.
  void connect(ReconstructOptions& options) const;
  /// Call this after the outputs are written.
  void remove() const;

 private:
  std::string path_;
  Console& console_;
  std::optional<SavedState> saved_;
};

}  // namespace larmor::app
