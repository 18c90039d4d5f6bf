#pragma once

#include <larmor/io/mrd_stream/message_reader.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <atomic>

namespace larmor::app {

/// Signals from the thread that processes messages to the one that reads them.
struct ReaderState {
  /// Another thread waits for the next message, so that the time limit applies.
  std::atomic<bool> wanted{false};
  std::atomic<bool> enough{false};  ///< the stream may end here
};

/// Reads from a pipe, socket or file. Throws Error: input if the bytes of one call do not arrive within
/// `seconds`, cancelled. state: borrowed.
mrd::ReadBytes timed_reader(int descriptor, double seconds, const std::atomic<bool>* cancel,
                            const ReaderState& state);
/// Writes likewise. Throws Error: resource if the other side accepts nothing for `seconds`, or is gone.
mrd::WriteBytes timed_writer(int descriptor, double seconds, const std::atomic<bool>* cancel);
/// Tells the other side of a socket that nothing more follows, and discards what it still sends, for some
/// seconds or until `cancel` is set: closing a socket with unread bytes would discard what was sent last.
void end_of_writing(int descriptor, double seconds, const std::atomic<bool>* cancel);

}  // namespace larmor::app
