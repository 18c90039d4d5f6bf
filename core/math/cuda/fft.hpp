#pragma once

#include <larmor/core/cuda/check.hpp>

#include <cstddef>
#include <memory>

namespace larmor::cuda {

/// In-place transforms by cuFFT over the last `rank` (1…3) axes of a contiguous array, batched over the
/// others. Plans are shared within the process; the work area is the caller's.
class Transform {
 public:
  /// lengths: slowest axis first. double_precision: of the complex values.
  static std::shared_ptr<const Transform> get(const long long* lengths, int rank, long long batch,
                                              bool double_precision, int ordinal);
  virtual ~Transform() = default;
  virtual std::size_t work_bytes() const = 0;
  /// sign −1: exp(−2πi…), +1: exp(+2πi…); unscaled.
  virtual void execute(void* data, void* work, int sign, Stream stream) const = 0;
};

}  // namespace larmor::cuda
