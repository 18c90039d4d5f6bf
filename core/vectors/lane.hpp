#pragma once

#include <larmor/core/context.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// Buffers notes and warnings so that they can be reported later, in a fixed order.
class LaterReporter final : public Reporter {
 public:
  void note(const std::string& message) override { said_.emplace_back(message, false); }
  void warning(const std::string& message) override { said_.emplace_back(message, true); }
  /// In the order in which they were reported.
  void tell(Reporter& reporter) const;

 private:
  std::vector<std::pair<std::string, bool>> said_;  // true: warnings
};

/// One of several threads that work in parallel on one device. On a GPU the work of the thread that created
/// the lane goes to a separate stream while the lane exists; the lane's destructor waits for it.
class Lane {
 public:
  Lane(const Device& device, ContextOptions options);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();
  /// For the thread that created the lane. Others may use its results after synchronize().
  Context& ctx() { return *ctx_; }

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Context> ctx_;
};

}  // namespace larmor
