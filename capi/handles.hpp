#pragma once

#include <larmor/capi/larmor.h>
#include <larmor/core/context.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>

namespace larmor::capi {

/// Receiver of a context's messages: the program's current callback.
class CallbackReporter final : public Reporter {
 public:
  void warning(const std::string& /*message*/) override {}
  /// Throws Error (cancelled) if the program asks to stop.
  void progress(const std::string& stage, Index done, Index total, const std::string& detail) override;

  larmor_progress_function function = nullptr;
  void* user = nullptr;
};

/// State shared by the handles of a context.
struct Machine {
  explicit Machine(const larmor_context_options& options);
  /// Runs work(ctx), one thread at a time, and waits for the device. Throws Error (usage) if called within
  /// the work of this thread.
  void run(const std::function<void(Context&)>& work);

  std::shared_ptr<CallbackReporter> reporter = std::make_shared<CallbackReporter>();
  Context ctx;
  std::recursive_mutex turn;
  bool busy = false;  ///< this thread holds the lock
};

using AnyOperator = std::variant<Operator<float>, Operator<double>>;

/// Runs a function for C: exceptions become a status and this thread's message.
larmor_status guarded(const std::function<void()>& work) noexcept;

/// Throws Error (usage) that names an argument that is NULL.
void require(const void* argument, const char* name);

/// Throws Error (usage) for a struct size that no version has: it was not set.
void check_struct_size(std::size_t size);

/// The caller's options, which may be of an older version; members that it lacks have their defaults.
template <typename Options>
Options options_of(const Options* given) {
  Options options{};
  if (given != nullptr) check_struct_size(given->struct_size);
  if (given != nullptr) std::memcpy(&options, given, std::min(given->struct_size, sizeof options));
  options.struct_size = sizeof options;
  return options;
}

Shape shape_of(const larmor_shape* shape, const char* name);
larmor_shape shape_of(const Shape& shape);

/// body(T{}) with T = float or double. Throws Error (usage) for other values.
template <typename Body>
auto by_precision(larmor_precision precision, const Body& body);
void check_precision(larmor_precision precision);

template <typename Body>
auto by_precision(larmor_precision precision, const Body& body) {
  check_precision(precision);
  return precision == LARMOR_DOUBLE ? body(double{}) : body(float{});
}

}  // namespace larmor::capi

struct larmor_context {
  std::shared_ptr<larmor::capi::Machine> machine;
};

struct larmor_operator {
  std::shared_ptr<larmor::capi::Machine> machine;
  larmor::capi::AnyOperator op;
};
