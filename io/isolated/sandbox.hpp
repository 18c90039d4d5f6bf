#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// Restrictions of a process once it has everything it needs; not part of the public interface.

namespace larmor::isolated {

/// Limits for the reader of a file of a given size.
struct Limits {
  std::size_t memory_bytes;   ///< of address space beyond that of the program itself; the file is mapped
  std::size_t message_bytes;  ///< of the longest message
  unsigned processor_seconds;
  unsigned silent_seconds;  ///< of wall time without a message
};
Limits limits_for(std::size_t file_bytes);
/// True if the user's own limit of address space (ulimit -v) is lower than that: running out of memory is
/// then not the file's fault.
bool memory_is_scarce(const Limits& limits);

/// True in builds with sanitizers, which reserve address space, write reports and are slow.
bool sanitized();

/// Kernel features that were missing.
enum Lacking : std::uint32_t { no_system_call_filter = 1, no_file_rules = 2 };

/// From here on this process, and anything it could start, cannot open or create files, use the network,
/// start programs or inspect other processes: seccomp and Landlock, if the kernel has them; memory, processor
/// time and sizes are limited. Open files stay open. Returns the missing kernel features, of Lacking. Throws
/// Error (resource) if a limit could not be set.
std::uint32_t close_sandbox(const Limits& limits);
/// "seccomp and Landlock"; empty for nothing.
std::string describe_lacking(std::uint32_t lacking);

}  // namespace larmor::isolated
