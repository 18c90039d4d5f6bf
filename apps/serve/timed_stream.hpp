#pragma once

#include <larmor/io/mrd_stream/message_reader.hpp>
#include <larmor/io/mrd_stream/message_writer.hpp>

#include <atomic>

namespace larmor::app {

/// Signals from the thread that works on messages to the one that reads them.
struct ReaderState {
  std::atomic<bool> wanted{false};  ///< somebody waits for what is read, so that time passes
  std::atomic<bool> enough{false};  ///< the stream may as well have ended
};

/// Reads from a pipe, socket or file. Throws Error: input where the bytes of one call have been waited for
/// `seconds`, cancelled. state: borrowed.
mrd::ReadBytes timed_reader(int descriptor, double seconds, const std::atomic<bool>* cancel,
                            const ReaderState& state);
/// Writes likewise. Throws Error: resource where the other side takes nothing for `seconds`, or has gone.
mrd::WriteBytes timed_writer(int descriptor, double seconds, const std::atomic<bool>* cancel);
/// Says to a socket's other side that nothing more comes, and reads away what is still sent, for some
/// seconds or until `cancel` is set: a socket that is closed with unread bytes takes back what was sent last.
void end_of_writing(int descriptor, double seconds, const std::atomic<bool>* cancel);

}  // namespace larmor::app
