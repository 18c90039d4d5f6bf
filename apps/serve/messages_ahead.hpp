#pragma once

#include <larmor/apps/serve/timed_stream.hpp>
#include <larmor/io/mrd_stream/message_reader.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace larmor::app {

/// Reads messages while others are processed, up to a number of bytes; further ones wait in the connection.
class MessagesAhead {
 public:
  /// state: of the reader's timed_reader(); borrowed.
  MessagesAhead(mrd::MessageReader reader, std::size_t most_bytes, ReaderState& state);
  ~MessagesAhead();
  MessagesAhead(const MessagesAhead&) = delete;
  MessagesAhead& operator=(const MessagesAhead&) = delete;

  /// As in MessageReader.
  std::optional<mrd::Message> next();
  /// Messages that next() has returned.
  std::size_t count() const { return count_; }
  /// Imaging readouts that have arrived but that next() has not returned yet.
  std::size_t readouts_waiting() const;

 private:
  void read_all();

  mrd::MessageReader reader_;
  const std::size_t most_bytes_;
  ReaderState& state_;
  std::size_t count_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<mrd::Message> waiting_;
  std::size_t bytes_ = 0, readouts_ = 0;  // of them
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace larmor::app
