#include <larmor/io/isolated/socket.hpp>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace larmor::isolated {
namespace {

constexpr std::size_t piece_bytes = 1 << 15;

// Number of bytes that follow, and room for one descriptor.
struct OneDescriptor {
  OneDescriptor() {
    part = {&bytes, sizeof bytes};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  std::uint64_t bytes = 0;
  iovec part{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
};

}  // namespace

bool send_descriptor(int socket, const Descriptor& sent) {
  OneDescriptor one;
  cmsghdr* const control = CMSG_FIRSTHDR(&one.message);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(int));
  const int number = sent.number();
  std::memcpy(CMSG_DATA(control), &number, sizeof number);
  return ::sendmsg(socket, &one.message, MSG_NOSIGNAL) == sizeof one.bytes;
}

bool send_bytes(int socket, std::span<const std::byte> bytes) {
  OneDescriptor one;
  one.bytes = bytes.size();
  one.message.msg_control = nullptr;
  one.message.msg_controllen = 0;
  if (::sendmsg(socket, &one.message, MSG_NOSIGNAL) != sizeof one.bytes) return false;
  for (; !bytes.empty(); bytes = bytes.subspan(one.part.iov_len)) {
    one.part = {const_cast<std::byte*>(bytes.data()), std::min(bytes.size(), piece_bytes)};
    if (::sendmsg(socket, &one.message, MSG_NOSIGNAL) != static_cast<ssize_t>(one.part.iov_len)) return false;
  }
  return true;
}

bool wait_for_acknowledgement(int socket) {
  char byte = 0;
  return ::read(socket, &byte, 1) == 1;
}

Announced receive_announcement(int socket) {
  OneDescriptor one;
  ssize_t received = -1;
  do received = ::recvmsg(socket, &one.message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  Announced announced;
  if (received != sizeof one.bytes) return announced;
  const cmsghdr* const control = CMSG_FIRSTHDR(&one.message);
  int number = -1;
  if (control != nullptr && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
      control->cmsg_len == CMSG_LEN(sizeof(int)))
    std::memcpy(&number, CMSG_DATA(control), sizeof number);
  announced.memory = Descriptor(number);
  announced.bytes = one.bytes;
  return announced;
}

std::size_t receive_piece(int socket, std::span<std::byte> to) {
  ssize_t received = -1;
  do received = ::recv(socket, to.data(), to.size(), 0);
  while (received < 0 && errno == EINTR);
  return received > 0 ? static_cast<std::size_t>(received) : 0;
}

void send_acknowledgement(int socket) {
  const char byte = 'a';
  (void)::send(socket, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace larmor::isolated
