#pragma once

#include <larmor/io/files/descriptor.hpp>
#include <larmor/io/isolated/contents.hpp>
#include <larmor/io/isolated/messages.hpp>
#include <larmor/io/isolated/sandbox.hpp>

#include <sys/types.h>

#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Not part of the public interface.

namespace larmor::isolated {

/// The task of the process.
struct Request {
  Contents contents;   ///< of them
  std::string name;    ///< of the file, for messages
  std::string group;   ///< of the file; may be empty
  std::string helper;  ///< path of the program; empty: the installed one
};

/// A process that has one file open for reading, and a socket to answer on, and can do nothing else. It is
/// started with posix_spawn, independent of threads and devices of this process, and ends with this object at
/// the latest.
class ReaderProcess {
 public:
  /// Throws Error: input if the file cannot be opened, resource if the process cannot be started.
  ReaderProcess(const Request& request, const std::atomic<bool>* cancel);
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;
  ~ReaderProcess();

  /// The next message; it points into memory that is valid until the next call. Throws Error: those reported
  /// by the process (input, resource), input if it died, hung or sent invalid data, cancelled.
  Message next();
  /// Bytes of the file itself, callable from any thread. False if it ends before.
  bool read_file(std::uint64_t at, std::span<std::byte> to) const;

 private:
  void receive(std::span<std::byte> to);
  [[noreturn]] void fail(const std::string& reason) const;
  [[noreturn]] void fail_by_death();

  std::string name_;
  const std::atomic<bool>* cancel_;
  Limits limits_{};
  Descriptor file_, socket_;
  pid_t process_ = -1;
  std::vector<std::uint64_t> buffer_;  // of the last message
};

}  // namespace larmor::isolated
