#pragma once

#include <larmor/core/error.hpp>

#include <atomic>
#include <string>

namespace larmor::app {

/// From now on SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGXCPU ask for an orderly end by setting the flag that
/// is returned. What does not look at the flag for a sixth of a second, such as a long factorisation or a
/// disk that does not answer, is not waited for: outputs under way are removed and the process ends with
/// status 130.
const std::atomic<bool>& stop_on_signals();

/// To be called before the last message. From then on this thread alone ends the process.
void begin_to_end();

/// "recon: MESSAGE" on stderr, as one line.
void complain(const std::string& message, ErrorClass error_class);

}  // namespace larmor::app
