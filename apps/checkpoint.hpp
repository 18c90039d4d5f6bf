#pragma once

#include <larmor/apps/outputs.hpp>
#include <larmor/core/reporter.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>

#include <optional>

namespace larmor::app {

/// The file of --checkpoint: one line of JSON, padded to a multiple of 16 bytes, then the numbers of the
/// solver as doubles and its vectors. Written as a whole or not at all.
class CheckpointFile {
 public:
  /// Reads the file when there is one; an empty path: none. Throws Error: usage when it is a target or an
  /// input, input when it is no checkpoint or damaged, resource when it could not be written.
  CheckpointFile(std::string path, const std::vector<Target>& targets, const std::vector<std::string>& inputs,
                 Reporter& reporter);
  /// The options go on from the file and write to it; they must not outlive this.
  void connect(ReconstructOptions& options) const;
  /// After the outputs are written.
  void remove() const;

 private:
  std::string path_;
  std::optional<SavedState> saved_;
};

}  // namespace larmor::app
