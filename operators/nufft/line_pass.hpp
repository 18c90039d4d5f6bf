#pragma once

#include <larmor/core/fft.hpp>

#include <algorithm>
#include <complex>

namespace larmor::nufft {

/// Transforms along one axis of a lane-interleaved grid, several neighbouring lines at a time: lines are gathered into
/// a small contiguous buffer, where they are cache-resident. Only the first `lo` and last `hi` elements of a line hold
/// data on the image side; the rest are zeros on the way to the grid and are not stored on the way back (pruning).
template <typename T>
class LinePass {
 public:
  using C = std::complex<T>;

  LinePass() = default;
  /// Lines of `length`; `inner` values lie side by side, from which up to `block` are taken at a time.
  LinePass(Index length, Index lo, Index hi, Index inner, Index block, FftEffort effort)
      : length_(length), lo_(lo), hi_(hi), inner_(inner), block_(std::min(block, inner)) {
    const Index rest = inner_ % block_;
    for (int s = 0; s < 2; ++s) {
      const FftSign sign = s == 0 ? FftSign::forward : FftSign::backward;
      full_[s] = LineFft<T>(length, block_, block_, sign, effort);
      if (rest > 0) rest_[s] = LineFft<T>(length, rest, rest, sign, effort);
    }
  }

  Index blocks() const { return (inner_ + block_ - 1) / block_; }
  /// First value of a block, and how many values it has.
  Index first(Index block) const { return block * block_; }
  Index count(Index block) const { return std::min(block_, inner_ - block * block_); }
  Index buffer_size() const { return length_ * block_; }
  Index length() const { return length_; }

  void transform(C* buffer, Index count, FftSign sign) const {
    (count == block_ ? full_ : rest_)[sign == FftSign::forward ? 0 : 1].execute(buffer);
  }
  /// Gathers a block whose elements are `stride` values apart, all of it or its image part.
  void gather(const C* line, Index stride, Index count, C* buffer) const { copy(line, stride, 0, length_, count, buffer); }
  void gather_pruned(const C* line, Index stride, Index count, C* buffer) const {
    copy(line, stride, 0, lo_, count, buffer);
    std::fill(buffer + lo_ * count, buffer + (length_ - hi_) * count, C(0));
    copy(line, stride, length_ - hi_, length_, count, buffer);
  }
  void scatter(const C* buffer, Index stride, Index count, C* line) const {
    copy_back(buffer, stride, 0, length_, count, line);
  }
  void scatter_pruned(const C* buffer, Index stride, Index count, C* line) const {
    copy_back(buffer, stride, 0, lo_, count, line);
    copy_back(buffer, stride, length_ - hi_, length_, count, line);
  }

 private:
  static void copy(const C* line, Index stride, Index begin, Index end, Index count, C* buffer) {
    for (Index i = begin; i < end; ++i) std::copy_n(line + i * stride, count, buffer + i * count);
  }
  static void copy_back(const C* buffer, Index stride, Index begin, Index end, Index count, C* line) {
    for (Index i = begin; i < end; ++i) std::copy_n(buffer + i * count, count, line + i * stride);
  }

  Index length_ = 0, lo_ = 0, hi_ = 0, inner_ = 0, block_ = 0;
  LineFft<T> full_[2], rest_[2];
};

/// Values that a pass along a slow axis takes side by side: two cache lines.
template <typename T>
inline constexpr Index pass_block = 128 / static_cast<Index>(sizeof(std::complex<T>));

}  // namespace larmor::nufft
