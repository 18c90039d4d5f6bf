#pragma once

#include <larmor/apps/output/console.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace larmor::app {

/// What a checkpoint of so many bytes holds. Throws std::runtime_error with the reason, as the end of a
/// sentence, when it is none or damaged, Error (resource) when the memory is not there.
SavedState read_checkpoint(std::istream& file, std::uintmax_t size);

/// The file of --checkpoint: one line of JSON, padded to a multiple of 16 bytes, then the numbers of the
/// solver as doubles and its vectors, and a CRC-32 of it all. Written as a whole or not at all. A file that
/// is no checkpoint is never replaced.
class CheckpointFile {
 public:
  /// Reads the file when there is one; an empty path: none. Throws Error (input) when it is no checkpoint or
  /// damaged. The console is borrowed.
  CheckpointFile(std::string path, Console& console);
  /// The options go on from the file and write to it; they must not outlive this. A checkpoint that cannot be
  /// written is told to the console and the reconstruction goes on.
  void connect(ReconstructOptions& options) const;
  /// After the outputs are written.
  void remove() const;

 private:
  std::string path_;
  Console& console_;
  std::optional<SavedState> saved_;
};

}  // namespace larmor::app
