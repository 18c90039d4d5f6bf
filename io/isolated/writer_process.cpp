#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/isolated/helper.hpp>
#include <larmor/io/isolated/socket.hpp>
#include <larmor/io/isolated/writer_process.hpp>

#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

namespace larmor::isolated {
namespace {

constexpr std::size_t sent_together = std::size_t{1} << 20;

}  // namespace

void require_writer() {
  find_helper("larmor-write", "");
}

WriterProcess::WriterProcess(Contents contents, const AtomicFile& target, const std::string& helper)
    : name_(target.target()) {
  HelperProcess started = start_helper(find_helper("larmor-write", helper),
                                       {version(), to_string(contents), name_}, target.descriptor());
  socket_ = std::move(started.socket);
  process_ = started.process;
}

WriterProcess::~WriterProcess() {
  if (process_ >= 0) end_helper(process_);
}

void WriterProcess::put(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  if (waiting_.size() + size > sent_together) {
    send(waiting_.data(), waiting_.size());
    waiting_.clear();
  }
  if (size > sent_together)
    send(from, size);
  else
    waiting_.insert(waiting_.end(), from, from + size);
}

void WriterProcess::put_text(const std::string& text) {
  put(std::uint64_t{text.size()});
  put(text.data(), text.size());
}

void WriterProcess::send(const char* bytes, std::size_t size) {
  if (!send_all(socket_.number(), std::as_bytes(std::span(bytes, size))))
    throw resource_error("{}", failure(answer()));
}

// All output of the process until it ends.
std::string WriterProcess::answer() const {
  std::string words;
  char piece[512];
  while (const std::size_t count = receive_some(socket_.number(), std::as_writable_bytes(std::span(piece))))
    words.append(piece, count);
  return words;
}

// The error; if none was reported, how the process ended.
std::string WriterProcess::failure(const std::string& said) {
  if (!said.empty()) return printable(said, 1000);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return fmt::format("cannot write {}: the process that writes it ended with {} {}", name_,
                     WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void WriterProcess::finish() {
  const std::vector<char> last = std::exchange(waiting_, {});
  send(last.data(), last.size());
  ::shutdown(socket_.number(), SHUT_WR);
  const std::string words = answer();
  if (words != writer_is_done) throw resource_error("{}", failure(words));
}

}  // namespace larmor::isolated
