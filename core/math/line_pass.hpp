#pragma once

#include <larmor/core/math/fft.hpp>

#include <algorithm>
#include <array>
#include <complex>

namespace larmor {

/// Transforms along a slow axis of an array, several neighbouring lines at a time: they are transposed into a
/// small contiguous buffer, transformed there while in cache, and transposed back. Only the first `lo` and
/// last `hi` elements of a line hold data on the image side of a zero-padded transform; the pruned copies
/// skip the others.
template <typename T>
class LinePass {
 public:
  using C = std::complex<T>;
  /// Lines processed together: one cache line of adjacent values.
  static constexpr Index block = 64 / static_cast<Index>(sizeof(C));

  LinePass() = default;
  /// Lines of `length`, of which `inner` are adjacent.
  LinePass(Index length, Index lo, Index hi, Index inner)
      : length_(length), lo_(lo), hi_(hi), inner_(inner), block_(std::min(block, inner)) {
    for (int s = 0; s < 2; ++s) {
      const FftSign sign = s == 0 ? FftSign::forward : FftSign::backward;
      full_[s] = LineFft<T>(length, block_, sign);
      if (inner_ % block_ > 0) rest_[s] = LineFft<T>(length, inner_ % block_, sign);
    }
  }

  Index length() const { return length_; }
  Index blocks() const { return (inner_ + block_ - 1) / block_; }
  /// First line of a block, and its number of lines.
  Index first(Index b) const { return b * block_; }
  Index count(Index b) const { return std::min(block_, inner_ - b * block_); }
  /// Values of one buffer; a thread needs two.
  Index buffer_size() const { return (length_ * block_ + 7) / 8 * 8; }

  /// in, out: buffers [count][length].
  void transform(const C* in, C* out, Index count, FftSign sign) const {
    (count == block_ ? full_ : rest_)[sign == FftSign::forward ? 0 : 1].execute(in, out);
  }
  /// From the array, whose elements along the line are `stride` values apart, to a buffer.
  void gather(const C* array, Index stride, Index count, C* buffer) const {
    transpose_in(array, stride, 0, length_, count, buffer);
  }
  void gather_pruned(const C* array, Index stride, Index count, C* buffer) const {
    transpose_in(array, stride, 0, lo_, count, buffer);
    for (Index v = 0; v < count; ++v)
      std::fill(buffer + v * length_ + lo_, buffer + (v + 1) * length_ - hi_, C(0));
    transpose_in(array, stride, length_ - hi_, length_, count, buffer);
  }
  /// Back to the array.
  void scatter(const C* buffer, Index stride, Index count, C* array) const {
    transpose_out(buffer, stride, 0, length_, count, array);
  }
  void scatter_pruned(const C* buffer, Index stride, Index count, C* array) const {
    transpose_out(buffer, stride, 0, lo_, count, array);
    transpose_out(buffer, stride, length_ - hi_, length_, count, array);
  }

 private:
  // Prefetch distance in elements. Elements are on different pages, which hardware prefetchers do not cross.
  static constexpr Index ahead = 16;

  // With a count known at compile time these become register transposes.
  template <typename Count>
  void transpose_in(const C* array, Index stride, Index begin, Index end, Count count, C* buffer) const {
    for (Index i = begin; i < end; ++i) {
      __builtin_prefetch(array + (i + ahead) * stride);
      for (Index v = 0; v < count; ++v) buffer[v * length_ + i] = array[i * stride + v];
    }
  }
  void transpose_in(const C* array, Index stride, Index begin, Index end, Index count, C* buffer) const {
    if (count == block)
      transpose_in(array, stride, begin, end, std::integral_constant<Index, block>(), buffer);
    else
      transpose_in<Index>(array, stride, begin, end, count, buffer);
  }
  template <typename Count>
  void transpose_out(const C* buffer, Index stride, Index begin, Index end, Count count, C* array) const {
    for (Index i = begin; i < end; ++i) {
      __builtin_prefetch(array + (i + ahead) * stride, 1);
      for (Index v = 0; v < count; ++v) array[i * stride + v] = buffer[v * length_ + i];
    }
  }
  void transpose_out(const C* buffer, Index stride, Index begin, Index end, Index count, C* array) const {
    if (count == block)
      transpose_out(buffer, stride, begin, end, std::integral_constant<Index, block>(), array);
    else
      transpose_out<Index>(buffer, stride, begin, end, count, array);
  }

  Index length_ = 0, lo_ = 0, hi_ = 0, inner_ = 0, block_ = 1;
  std::array<LineFft<T>, 2> full_, rest_;
};

}  // namespace larmor
