#pragma once

#include <larmor/io/files/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

// The socket between the two processes: descriptors one way, a byte for each that was used the other way.
// Where the user's limit of file sizes leaves no room for shared memory, bytes in place of descriptors. No
// part of the public interface.

namespace larmor::isolated {

/// Numbers that the file and the socket have in the other process.
inline constexpr int helper_file = 3, helper_socket = 4;
/// What a writing process says when the file is written; anything else is what went wrong.
inline constexpr const char* writer_is_done = "written";

/// False when the other end is gone.
bool send_descriptor(int socket, const Descriptor& sent);
bool send_bytes(int socket, std::span<const std::byte> bytes);
bool wait_for_acknowledgement(int socket);

/// A descriptor, or how many bytes follow in pieces; neither when the other end is gone or talks nonsense.
struct Announced {
  Descriptor memory;
  std::uint64_t bytes = 0;
};
Announced receive_announcement(int socket);
/// How many bytes of the next piece were put there; none when the other end is gone.
std::size_t receive_piece(int socket, std::span<std::byte> to);
void send_acknowledgement(int socket);

}  // namespace larmor::isolated
