#pragma once

#include <larmor/core/context.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// Keeps the library's words until it is somebody's turn to say them.
class LaterReporter final : public Reporter {
 public:
  void note(const std::string& message) override { said_.emplace_back(message, false); }
  void warning(const std::string& message) override { said_.emplace_back(message, true); }
  /// In the order in which they came.
  void tell(Reporter& reporter) const;

 private:
  std::vector<std::pair<std::string, bool>> said_;  // true: warnings
};

/// One of several threads that work side by side on one device. On a GPU the work of the thread that made the
/// lane goes to a stream of its own as long as the lane lives; the end of the lane waits for it.
class Lane {
 public:
  Lane(const Device& device, ContextOptions options);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();
  /// For the thread that made the lane. Others may use what it has made after synchronize().
  Context& ctx() { return *ctx_; }

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Context> ctx_;
};

}  // namespace larmor
