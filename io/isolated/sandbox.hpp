#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// What a process may still do once it has all it needs; no part of the public interface.

namespace larmor::isolated {

/// What a reader of a file of some size may use.
struct Limits {
  std::size_t memory_bytes;   ///< of address space beyond that of the program itself; the file is mapped
  std::size_t segment_bytes;  ///< the largest piece of shared memory
  unsigned processor_seconds;
  unsigned silent_seconds;  ///< of wall time without a message
};
Limits limits_for(std::size_t file_bytes);
/// True when the user's own limit of address space (ulimit -v) leaves less memory than that: lack of it is
/// not the file's.
bool memory_is_scarce(const Limits& limits);

/// True in builds with sanitizers, which reserve address space, write reports and are slow.
bool sanitized();

/// What the kernel had no means for.
enum Lacking : std::uint32_t { no_system_call_filter = 1, no_file_rules = 2 };

/// From here on this process, and nothing it could start, can open or make files, use the network, start
/// programs or look into other processes, whatever it is made to do: seccomp and Landlock, where the kernel
/// has them; memory, processor time and sizes are limited. What is open stays open. Returns what was lacking,
/// of Lacking. Throws Error (resource) when a limit could not be set.
std::uint32_t close_sandbox(const Limits& limits);
/// "seccomp and Landlock"; empty for nothing.
std::string describe_lacking(std::uint32_t lacking);

}  // namespace larmor::isolated
