#pragma once

#include <larmor/core/communicator/launch.hpp>
#include <larmor/core/error.hpp>

#include <atomic>
#include <string>

namespace larmor::app {

/// From now on SIGINT, SIGTERM, SIGHUP, SIGPIPE and SIGXCPU ask for an orderly end by setting the flag that
/// is returned. What does not look at the flag for a sixth of a second, such as a long factorisation or a
/// disk that does not answer, is not waited for: outputs under way are removed and the process ends with
/// status 130, after `last` was called.
const std::atomic<bool>& stop_on_signals(void (*last)());

/// To be called before the last message, and by who waits for processes that signals end too. From then on
/// this thread alone ends the process.
void begin_to_end();

/// From now on complaints go to the process that has started this one as one of several ranks.
void complain_as(const RankIdentity& rank);
/// "recon: MESSAGE" on stderr, as one line.
void complain(const std::string& message, ErrorClass error_class);

}  // namespace larmor::app
