#pragma once

// Tests that need other people's programs.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace larmor::test {

/// The reason to skip a test that needs a program, empty if it should run. With LARMOR_FOREIGN=1, which
/// `.ci/full foreign` sets, a missing program is a failure instead.
inline std::string why_not(const std::string& program, bool there) {
  const char* asked = std::getenv("LARMOR_FOREIGN");
  if (asked == nullptr || std::string_view(asked) != "1") return program + ": LARMOR_FOREIGN=1 asks for it";
  if (there) return "";
  ADD_FAILURE() << "LARMOR_FOREIGN=1, but " << program << " is not there";
  return program + " is not there";
}
inline std::string why_not(const std::string& program) {
  return why_not(program, std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0);
}

/// Skips the test unless it should run.
#define LARMOR_NEEDS_PROGRAM(...) \
  if (const std::string why = larmor::test::why_not(__VA_ARGS__); !why.empty()) GTEST_SKIP() << why

}  // namespace larmor::test
