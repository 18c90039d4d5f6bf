#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/math/fft.hpp>

#include <complex>

namespace larmor::nufft {

/// The transform of one long line as many short ones (Bailey 1990), short enough for the caches and enough of
/// them for all threads: with n = n1·n2, j = j1 + n1·j2 and k = k1·n2 + k2,
///     X(k) = Σ_j1 e^{∓2πi j1 k1/n1} e^{∓2πi j1 k2/n} Σ_j2 e^{∓2πi j2 k2/n2} x(j).
/// x is an image, zero outside its pixels and never stored at the line's length; X is a grid, which also
/// serves as work array. Pixel floor(N/2) is at j = 0.
template <typename T>
class LongLine {
 public:
  using C = std::complex<T>;
  LongLine() = default;
  LongLine(Index image, Index grid);

  /// True if a grid of this length is transformed this way; shorter ones fit into a cache.
  static bool wanted(Index grid);
  /// Complex values that each thread needs.
  Index buffer_size() const { return 2 * half_buffer_ + marks_size_; }

  /// grid = transform, with the sign −, of scale · factor(pixel) · image(pixel).
  void to_grid(const C* image, const T* factors, T scale, C* grid, View<C> buffers, Context& ctx) const;
  /// image (+)= scale · factor(pixel) · transform, with the sign +, of the grid, which is overwritten.
  void to_image(C* grid, const T* factors, T scale, C* image, bool accumulate, View<C> buffers,
                Context& ctx) const;
  /// The transform, with the sign +, of real values stored in pairs, x(j) = Re v(2j) + i Re v(2j + 1), at its
  /// full length: `values` has 2n elements, the first n of which become X; `work` has n.
  void real_pairs(C* values, C* work, View<C> buffers, Context& ctx) const;

 private:
  // The pixel at position j, or −1.
  Index pixel(Index j) const {
    if (j < image_ - image_ / 2) return j + image_ / 2;
    return j >= n_ - image_ / 2 ? j - (n_ - image_ / 2) : -1;
  }
  // One flag for each block of neighbouring columns: true if it contains a nonzero value; null: all do. If
  // the points are clustered, few blocks do.
  using Marks = const unsigned char*;
  Index column_blocks() const;
  // Scans values row by row, `reals` reals per column, until every block of columns has a nonzero value. The
  // marks are stored in the buffers, behind the part that lines use.
  Marks mark_columns(const C* values, Index reals, View<C> buffers, Context& ctx) const;
  // Multiplies a line of n2 values, in marked blocks only, by e^{sign 2πi j1·i/n}, i = 0 … n2 − 1.
  void twist(C* line, Index j1, double sign, Marks marks) const;
  // Transforms columns, each of n1 values n2 apart, from load(index) to the grid. Columns without a mark are
  // skipped.
  template <typename Load>
  void columns(const Load& load, C* grid, Marks marks, FftSign sign, View<C> buffers, Context& ctx) const;
  // The reverse of columns(); store(first, count, j2, line) receives X(first + n1·j2) and its count − 1
  // neighbours, starting at line[j2], n2 apart.
  template <typename Store>
  void rows_back(const C* grid, Marks marks, View<C> buffers, Context& ctx, const Store& store) const;

  Index image_ = 0, n_ = 0, n1_ = 1, n2_ = 1, half_buffer_ = 0, marks_size_ = 0;
  // For complete blocks of lines and for the last one; forward and backward.
  LineFft<T> rows_[2][2], columns_[2][2];
};

}  // namespace larmor::nufft
