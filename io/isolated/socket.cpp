#include <larmor/io/isolated/socket.hpp>

#include <sys/socket.h>

#include <cerrno>

namespace larmor::isolated {

bool send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::size_t receive_some(int socket, std::span<std::byte> to) {
  ssize_t count = -1;
  do count = ::recv(socket, to.data(), to.size(), 0);
  while (count < 0 && errno == EINTR);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace larmor::isolated
