#pragma once

#include <larmor/core/error.hpp>

#include <atomic>
#include <string>

namespace larmor::app {

/// From now on SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGXCPU request an orderly end by setting the returned
/// flag. Code that does not check the flag within a sixth of a second, such as a long factorisation or a disk
/// that does not answer, is not waited for: unfinished outputs are removed and the process ends with status
/// 130.
const std::atomic<bool>& stop_on_signals();

/// Call this before the last message. From then on only this thread ends the process.
void begin_to_end();

/// "recon: MESSAGE" on stderr, as one line.
void complain(const std::string& message, ErrorClass error_class);

}  // namespace larmor::app
