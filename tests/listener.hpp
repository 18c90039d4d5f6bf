#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/reporter.hpp>

#include <memory>
#include <string>
#include <vector>

namespace larmor::test {

/// Keeps warnings; `warnings` has a line for each.
struct Listener final : Reporter {
  void warning(const std::string& message) override {
    lines.push_back(message);
    warnings += message + "\n";
  }
  std::vector<std::string> lines;
  std::string warnings;
};

/// A context on the CPU that reports to the listener.
inline Context listening(const std::shared_ptr<Listener>& listener) {
  return Context(Device::cpu(), {.threads = 2, .reporter = listener});
}

}  // namespace larmor::test
