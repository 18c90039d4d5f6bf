#pragma once

#include <larmor/core/context.hpp>

#include <complex>
#include <memory>

namespace larmor {

/// forward: exp(−2πi…), backward: exp(+2πi…); both unscaled.
enum class FftSign { forward = -1, backward = +1 };
/// How long the planner may look for a fast plan; estimate gives the same plan in every run.
enum class FftEffort { estimate, measure };

/// One-dimensional transforms of `lanes` interleaved lines, in place: element i of line v lies at i*stride + v.
/// Plans are cached for the life of the process. execute() may be called from several threads at once.
/// This wrapper is the one place that knows the FFT library.
template <typename T>
class LineFft {
 public:
  LineFft() = default;
  LineFft(Index length, Index lanes, Index stride, FftSign sign, FftEffort effort);
  /// `line` must be aligned to 16 bytes.
  void execute(std::complex<T>* line) const;
  Index length() const { return length_; }
  Index lanes() const { return lanes_; }

 private:
  Index length_ = 0, lanes_ = 0;
  std::shared_ptr<const void> plan_;
};

/// In-place unscaled transform over the last `rank` axes of an array, batched over the others; index 0 is the origin.
template <typename T>
class FftPlan {
 public:
  FftPlan(const Shape& shape, int rank, FftEffort effort = FftEffort::estimate);
  void execute(View<std::complex<T>> data, FftSign sign, Context& ctx) const;
  std::size_t scratch_bytes(const Context& ctx) const;

 private:
  Shape shape_;
  int rank_;
  std::shared_ptr<const void> state_;
};

/// The smallest even number >= n whose prime factors are 2, 3, 5, 7 (1 for n <= 1).
Index smooth_size(Index n);

}  // namespace larmor
