#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/transform.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace larmor::finufft {

/// Return codes of FINUFFT's functions.
enum Code : int {
  done = 0,
  tolerance_too_small = 1,
  too_large = 2,
  bad_upsampling = 7,
  no_kernel = 8,
  bad_count = 9,
  bad_type = 10,
  no_memory = 11,
  bad_dimension = 12,
  bad_spread_thread = 13,
  bad_modes = 14,
  cuda_failure = 15,
  no_plan = 16,
  bad_method = 17,
  bad_points = 20,
  bad_argument = 21,
  one_lock = 22,
  bad_threads = 23,
  bad_formula = 24,
  unknown = 25
};

/// A context of the process with its lock; plans with the same device and number of threads share it.
struct Workshop {
  Workshop(const Device& device, int threads) : ctx(device, {.threads = threads}) {}
  Context ctx;
  std::mutex turn;
};
Workshop& workshop(const Device& device, int threads);

/// Parameters of a plan, checked by the constructor of Plan.
struct PlanSetting {
  int type, dim;
  const std::int64_t* modes;
  int iflag, count;
  double tolerance;
  bool fft_order;
  double oversampling;  ///< a hint; 0: none
  bool adjoint;         ///< execute_adjoint() may be called
};

/// A plan with FINUFFT's interface, around a Transform.
template <typename T>
class Plan {
 public:
  using C = std::complex<T>;
  /// Throws Code.
  Plan(const PlanSetting& setting, Workshop& workshop);
  /// done, or tolerance_too_small.
  int code() const { return code_; }
  /// Arrays are on the context's device, and copied. Returns done, or tolerance_too_small if it had to be
  /// loosened by much.
  int set_points(std::int64_t points, const T* const* x, std::int64_t frequencies, const T* const* s);
  int execute(C* c, C* f, bool adjoint);

 protected:
  Workshop& workshop_;

 private:
  int type_, dim_, count_, code_ = done;
  Shape modes_;
  TransformOptions options_;
  std::optional<Transform<T>> transform_;
  bool pointless_ = false;  ///< there is nothing to sum, or no output
  std::int64_t points_ = -1, frequencies_ = 0;
};

/// Runs a function for C: exceptions become codes.
template <typename Work>
int guarded(const Work& work) noexcept;

/// The code of the current exception; call it in a handler.
int code_of_exception() noexcept;

template <typename Work>
int guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (...) {
    return code_of_exception();
  }
}

}  // namespace larmor::finufft
