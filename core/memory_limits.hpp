#pragma once

#include <larmor/core/export.hpp>

#include <cstddef>
#include <string>

namespace LARMOR_API larmor {

/// Bytes of memory that the machine can still give to this process: the least of what is free, what its
/// control groups leave it, and what ulimit leaves it.
std::size_t available_memory_bytes();
/// Resident size of this process now.
std::size_t resident_bytes();
/// Largest resident size of this process so far.
std::size_t peak_resident_bytes();
/// "1.25 GB", "340 MB", "12 kB"
std::string format_bytes(std::size_t bytes);
/// "4G", "512M", "1.5GB", "800000"; throws Error (usage) for anything else.
std::size_t parse_bytes(const std::string& text);

/// Bytes that the control groups of this process leave it, of version 1 and 2, with all groups around its
/// own: limit less use, where the pages of files that were read are not in use. The largest number where
/// there is no limit. `root` stands before the paths of /proc and /sys.
std::size_t memory_left_in_groups(const std::string& root = "");

/// Bytes of addresses and of data that ulimit -v and -d leave this process; the largest number without them.
std::size_t memory_left_by_ulimit();

/// Whether ulimit -v leaves less than the addresses that CUDA reserves: more than the machine has memory.
bool addresses_are_limited();

/// From now on arrays on the CPU take no more than so many bytes together; 0: no limit of this kind. What a
/// user has set as the limit holds for reading and calibration as well, not for what has been planned alone.
void limit_host_arrays(std::size_t bytes);
std::size_t host_array_limit();

/// The CPU's memory as arrays have it, for what is no array: within no limit of these, and null where there
/// is none.
void* allocate_pages(std::size_t bytes);
void free_pages(void* pointer, std::size_t bytes) noexcept;

}  // namespace larmor
