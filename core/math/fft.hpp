#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <memory>

namespace LARMOR_API larmor {

/// forward: exp(−2πi…), backward: exp(+2πi…); both unscaled.
enum class FftSign { forward = -1, backward = +1 };

/// One-dimensional transforms of `lines` contiguous lines, one after another in memory, out of place. Plans
/// are estimated, never timed, so that every run uses the same; they are cached for the life of the process.
/// execute() may be called from several threads at once. Only this wrapper uses the FFT library.
template <typename T>
class LineFft {
 public:
  LineFft() = default;
  /// For `lines` contiguous lines of `length` values.
  LineFft(Index length, Index lines, FftSign sign);
  /// `in` and `out` are aligned to 64 bytes, do not overlap, and `in` keeps its values.
  void execute(const std::complex<T>* in, std::complex<T>* out) const;
  Index length() const { return length_; }
  Index lines() const { return lines_; }

 private:
  Index length_ = 0, lines_ = 0;
  std::shared_ptr<const void> plan_;
};

/// In-place unscaled transform over the last `rank` axes of an array, batched over the others; index 0 is the
/// origin.
template <typename T>
class FftPlan {
 public:
  /// Throws Error (usage) if the array has fewer axes than `rank`.
  FftPlan(const Shape& shape, int rank);
  /// Transforms an array of the plan's shape in place.
  void execute(View<std::complex<T>> data, FftSign sign, Context& ctx) const;
  /// Bytes of arena that execute() needs.
  std::size_t scratch_bytes(const Context& ctx) const;

 private:
  Shape shape_;
  int rank_;
  std::shared_ptr<const void> state_;
};

/// A length >= n, even, with prime factors 2, 3, 5, 7, for which the library's estimated plans are fast; at
/// most a fifth longer than n, except for the smallest n. 1 for n <= 1.
Index fast_fft_size(Index n);

}  // namespace larmor
