#pragma once

#include <cstddef>
#include <span>

// The socket between this process and one that reads or writes a file; not part of the public interface.

namespace larmor::isolated {

/// Descriptor numbers of the file and the socket in the other process.
inline constexpr int helper_file = 3, helper_socket = 4;
/// Answer of a writing process when the file is written; any other answer is an error.
inline constexpr const char* writer_is_done = "written";

/// Waits until all bytes are on their way. False if the other end is closed.
bool send_all(int socket, std::span<const std::byte> bytes);
/// The number of bytes that were received, at least one; 0 if the other end is closed.
std::size_t receive_some(int socket, std::span<std::byte> to);

}  // namespace larmor::isolated
