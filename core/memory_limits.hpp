#pragma once

#include <larmor/core/export.hpp>

#include <cstddef>
#include <string>

namespace LARMOR_API larmor {

/// Bytes of memory still available to this process: the minimum of free memory, control group limits and
/// ulimit.
std::size_t available_memory_bytes();
/// Current resident size of this process.
std::size_t resident_bytes();
/// Largest resident size of this process so far.
std::size_t peak_resident_bytes();
/// "1.25 GB", "340 MB", "12 kB"
std::string format_bytes(std::size_t bytes);
/// "4G", "512M", "1.5GB", "800000"; throws Error (usage) for anything else.
std::size_t parse_bytes(const std::string& text);

/// Bytes that the control groups of this process leave it, version 1 and 2, including all enclosing groups:
/// limit minus use, where pages of files that were read do not count. The largest number if there is no
/// limit. `root` is prepended to paths of /proc and /sys.
std::size_t memory_left_in_groups(const std::string& root = "");

/// Bytes of addresses and of data that ulimit -v and -d leave to this process; the largest number without
/// limits.
std::size_t memory_left_by_ulimit();

/// True if ulimit -v allows less than the addresses that CUDA reserves: more than the machine has memory.
bool addresses_are_limited();

/// Limits the total of arrays on the CPU from now on; 0: no limit of this kind. A user's limit then also
/// applies to reading and calibration, not only to planned arrays.
void limit_host_arrays(std::size_t bytes);
std::size_t host_array_limit();

/// CPU memory for purposes other than arrays: not counted against these limits; null if there is none.
void* allocate_pages(std::size_t bytes);
void free_pages(void* pointer, std::size_t bytes) noexcept;

}  // namespace larmor
