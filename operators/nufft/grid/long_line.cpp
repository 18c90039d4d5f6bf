#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/grid/long_line.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace larmor::nufft {
namespace {

constexpr Index block = 8;  // lines that are processed together

// The largest divisor up to the square root.
Index first_factor(Index n) {
  auto factor = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (n % factor != 0) --factor;
  return factor;
}

// With a count known at compile time, copies between lines and columns become register transposes.
template <typename Body>
void with_count(Index count, const Body& body) {
  if (count == block)
    body(std::integral_constant<Index, block>());
  else
    body(count);
}

int direction(FftSign sign) {
  return sign == FftSign::forward ? 0 : 1;
}

}  // namespace

template <typename T>
bool LongLine<T>::wanted(Index grid) {
  return grid >= (Index{1} << 15) && first_factor(grid) >= 64;
}

template <typename T>
LongLine<T>::LongLine(Index image, Index grid)
    : image_(image), n_(grid), n1_(first_factor(grid)), n2_(grid / n1_) {
  half_buffer_ = (block * n2_ + 7) / 8 * 8;  // n1 <= n2
  constexpr auto line = static_cast<Index>(8 * sizeof(C));
  marks_size_ = (column_blocks() + line - 1) / line * 8;
  for (const FftSign sign : {FftSign::forward, FftSign::backward}) {
    rows_[0][direction(sign)] = LineFft<T>(n2_, block, sign);
    columns_[0][direction(sign)] = LineFft<T>(n1_, block, sign);
    if (n1_ % block > 0) rows_[1][direction(sign)] = LineFft<T>(n2_, n1_ % block, sign);
    if (n2_ % block > 0) columns_[1][direction(sign)] = LineFft<T>(n1_, n2_ % block, sign);
  }
}

template <typename T>
Index LongLine<T>::column_blocks() const {
  return (n2_ + block - 1) / block;
}

template <typename T>
typename LongLine<T>::Marks LongLine<T>::mark_columns(const C* values, Index reals, View<C> buffers,
                                                      Context& ctx) const {
  const Index blocks = column_blocks(), threads = buffers.shape()[0];
  const auto marks_of = [&](Index thread) {
    return reinterpret_cast<unsigned char*>(buffers.slice(thread).data() + 2 * half_buffer_);
  };
  for (Index thread = 0; thread < threads; ++thread) std::fill_n(marks_of(thread), blocks, 0);
  parallel_for(ctx, n1_, 64, [&](Index begin, Index end, int thread) {
    unsigned char* const marks = marks_of(thread);
    Index left = std::count(marks, marks + blocks, 0);
    for (Index i = begin; i < end && left > 0; ++i)
      for (Index b = 0; b < blocks; ++b) {
        if (marks[b]) continue;
        const T* value = reinterpret_cast<const T*>(values) + reals * (i * n2_ + b * block);
        const Index count = reals * std::min(block, n2_ - b * block);
        bool filled = false;
        for (Index v = 0; v < count; ++v) filled |= value[v] != 0;
        marks[b] = filled;
        left -= filled;
      }
  });
  unsigned char* const marks = marks_of(0);
  for (Index thread = 1; thread < threads; ++thread)
    for (Index b = 0; b < blocks; ++b) marks[b] |= marks_of(thread)[b];
  return marks;
}

template <typename T>
void LongLine<T>::twist(C* line, Index j1, double sign, Marks marks) const {
  // Eight interleaved geometric series; their few hundred steps lose at most two digits of a double.
  constexpr int together = block;
  const double angle = sign * 2 * std::numbers::pi * static_cast<double>(j1) / static_cast<double>(n_);
  double real[together], imaginary[together];
  for (int i = 0; i < together; ++i) {
    real[i] = std::cos(i * angle);
    imaginary[i] = std::sin(i * angle);
  }
  const double step_real = std::cos(together * angle), step_imaginary = std::sin(together * angle);
  T* values = reinterpret_cast<T*>(line);
  Index done = 0;
  for (; done + together <= n2_; done += together, values += 2 * together) {
    if (marks == nullptr || marks[done / block])
      for (int i = 0; i < together; ++i) {
        const T a = values[2 * i], b = values[2 * i + 1];
        const T c = static_cast<T>(real[i]), d = static_cast<T>(imaginary[i]);
        values[2 * i] = a * c - b * d;
        values[2 * i + 1] = a * d + b * c;
      }
    for (int i = 0; i < together; ++i) {
      const double rotated = real[i] * step_real - imaginary[i] * step_imaginary;
      imaginary[i] = real[i] * step_imaginary + imaginary[i] * step_real;
      real[i] = rotated;
    }
  }
  for (int i = 0; done < n2_; ++done, ++i)
    line[done] = product(line[done], C(static_cast<T>(real[i]), static_cast<T>(imaginary[i])));
}

template <typename T>
template <typename Load>
void LongLine<T>::columns(const Load& load, C* grid, Marks marks, FftSign sign, View<C> buffers,
                          Context& ctx) const {
  parallel_for(ctx, n2_, block, [&](Index begin, Index end, int thread) {
    if (marks != nullptr && !marks[begin / block]) return;
    C* in = buffers.slice(thread).data();
    C* out = in + half_buffer_;
    const Index count = end - begin;
    with_count(count, [&](auto lines) {
      for (Index i = 0; i < n1_; ++i)
        for (Index v = 0; v < lines; ++v) in[v * n1_ + i] = load(i * n2_ + begin + v);
    });
    columns_[count < block][direction(sign)].execute(in, out);
    with_count(count, [&](auto lines) {
      for (Index i = 0; i < n1_; ++i)
        for (Index v = 0; v < lines; ++v) grid[i * n2_ + begin + v] = out[v * n1_ + i];
    });
  });
}

template <typename T>
void LongLine<T>::to_grid(const C* image, const T* factors, T scale, C* grid, View<C> buffers,
                          Context& ctx) const {
  parallel_for(ctx, n1_, block, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + half_buffer_;
    const Index count = end - begin;
    with_count(count, [&](auto lines) {
      for (Index j2 = 0; j2 < n2_; ++j2) {
        const Index first = pixel(begin + n1_ * j2), last = pixel(begin + lines - 1 + n1_ * j2);
        C* to = in + j2;
        if (first >= 0 && last == first + lines - 1)
          for (Index v = 0; v < lines; ++v) to[v * n2_] = image[first + v] * (scale * factors[first + v]);
        else
          for (Index v = 0; v < lines; ++v) {
            const Index p = pixel(begin + v + n1_ * j2);
            to[v * n2_] = p >= 0 ? image[p] * (scale * factors[p]) : C(0);
          }
      }
    });
    rows_[count < block][0].execute(in, out);
    for (Index v = 0; v < count; ++v) {
      twist(out + v * n2_, begin + v, -1, nullptr);
      std::copy_n(out + v * n2_, n2_, grid + (begin + v) * n2_);
    }
  });
  columns([grid](Index i) { return grid[i]; }, grid, nullptr, FftSign::forward, buffers, ctx);
}

template <typename T>
template <typename Store>
void LongLine<T>::rows_back(const C* grid, Marks marks, View<C> buffers, Context& ctx,
                            const Store& store) const {
  parallel_for(ctx, n1_, block, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + half_buffer_;
    const Index count = end - begin;
    for (Index v = 0; v < count; ++v) {
      C* const line = in + v * n2_;
      const C* const from = grid + (begin + v) * n2_;
      if (marks == nullptr)
        std::copy_n(from, n2_, line);
      else
        for (Index b = 0; b * block < n2_; ++b) {
          const Index first = b * block, values = std::min(block, n2_ - first);
          if (marks[b])
            std::copy_n(from + first, values, line + first);
          else
            std::fill_n(line + first, values, C(0));
        }
      twist(line, begin + v, 1, marks);
    }
    rows_[count < block][1].execute(in, out);
    with_count(count, [&](auto lines) {
      for (Index j2 = 0; j2 < n2_; ++j2) store(begin, lines, j2, out + j2);
    });
  });
}

template <typename T>
void LongLine<T>::to_image(C* grid, const T* factors, T scale, C* image, bool accumulate, View<C> buffers,
                           Context& ctx) const {
  const Marks marks = mark_columns(grid, 2, buffers, ctx);
  columns([grid](Index i) { return grid[i]; }, grid, marks, FftSign::backward, buffers, ctx);
  rows_back(grid, marks, buffers, ctx, [&](Index begin, auto lines, Index j2, const C* from) {
    const Index first = pixel(begin + n1_ * j2), last = pixel(begin + lines - 1 + n1_ * j2);
    if (first >= 0 && last == first + lines - 1 && !accumulate)
      for (Index v = 0; v < lines; ++v) image[first + v] = from[v * n2_] * (scale * factors[first + v]);
    else
      for (Index v = 0; v < lines; ++v) {
        const Index p = pixel(begin + v + n1_ * j2);
        if (p < 0) continue;
        const C value = from[v * n2_] * (scale * factors[p]);
        image[p] = accumulate ? image[p] + value : value;
      }
  });
}

template <typename T>
void LongLine<T>::real_pairs(C* values, C* work, View<C> buffers, Context& ctx) const {
  const Marks marks = mark_columns(values, 4, buffers, ctx);
  columns([values](Index j) { return C(values[2 * j].real(), values[2 * j + 1].real()); }, work, marks,
          FftSign::backward, buffers, ctx);
  rows_back(work, marks, buffers, ctx, [&](Index begin, auto lines, Index j2, const C* from) {
    for (Index v = 0; v < lines; ++v) values[begin + v + n1_ * j2] = from[v * n2_];
  });
}

template class LongLine<float>;
template class LongLine<double>;

}  // namespace larmor::nufft
