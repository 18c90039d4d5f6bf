#pragma once

#include <larmor/io/files/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

// The socket between the two processes: descriptors in one direction, a byte for each used one in the other.
// If the user's limit of file sizes leaves no room for shared memory, bytes instead of descriptors. Not part
// of the public interface.

namespace larmor::isolated {

/// Descriptor numbers of the file and the socket in the other process.
inline constexpr int helper_file = 3, helper_socket = 4;
/// Answer of a writing process when the file is written; any other answer is an error.
inline constexpr const char* writer_is_done = "written";

/// False if the other end is closed.
bool send_descriptor(int socket, const Descriptor& sent);
bool send_bytes(int socket, std::span<const std::byte> bytes);
bool wait_for_acknowledgement(int socket);

/// A descriptor, or the number of bytes that follow in pieces; neither if the other end is closed or sends
/// invalid data.
struct Announced {
  Descriptor memory;
  std::uint64_t bytes = 0;
};
Announced receive_announcement(int socket);
/// Number of bytes of the next piece that were received; none if the other end is closed.
std::size_t receive_piece(int socket, std::span<std::byte> to);
void send_acknowledgement(int socket);

}  // namespace larmor::isolated
