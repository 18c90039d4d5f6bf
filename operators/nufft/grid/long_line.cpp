#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/grid/long_line.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace larmor::nufft {
namespace {

constexpr Index block = 8;  // lines worked on together

// The largest divisor up to the root.
Index first_factor(Index n) {
  auto factor = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (n % factor != 0) --factor;
  return factor;
}

// With a count known to the compiler copies between lines and columns become register transposes.
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
  for (const FftSign sign : {FftSign::forward, FftSign::backward}) {
    rows_[0][direction(sign)] = LineFft<T>(n2_, block, sign);
    columns_[0][direction(sign)] = LineFft<T>(n1_, block, sign);
    if (n1_ % block > 0) rows_[1][direction(sign)] = LineFft<T>(n2_, n1_ % block, sign);
    if (n2_ % block > 0) columns_[1][direction(sign)] = LineFft<T>(n1_, n2_ % block, sign);
  }
}

template <typename T>
void LongLine<T>::twist(C* line, Index j1, double sign) const {
  // Eight geometric series side by side; their few hundred steps lose two digits of a double at most.
  constexpr int together = 8;
  const double angle = sign * 2 * std::numbers::pi * static_cast<double>(j1) / static_cast<double>(n_);
  double real[together], imaginary[together];
  for (int i = 0; i < together; ++i) {
    real[i] = std::cos(i * angle);
    imaginary[i] = std::sin(i * angle);
  }
  const double step_real = std::cos(together * angle), step_imaginary = std::sin(together * angle);
  T* values = reinterpret_cast<T*>(line);
  Index done = 0;
  for (; done + together <= n2_; done += together, values += 2 * together)
    for (int i = 0; i < together; ++i) {
      const T a = values[2 * i], b = values[2 * i + 1];
      const T c = static_cast<T>(real[i]), d = static_cast<T>(imaginary[i]);
      values[2 * i] = a * c - b * d;
      values[2 * i + 1] = a * d + b * c;
      const double rotated = real[i] * step_real - imaginary[i] * step_imaginary;
      imaginary[i] = real[i] * step_imaginary + imaginary[i] * step_real;
      real[i] = rotated;
    }
  for (int i = 0; done < n2_; ++done, ++i)
    line[done] = product(line[done], C(static_cast<T>(real[i]), static_cast<T>(imaginary[i])));
}

template <typename T>
template <typename Load>
void LongLine<T>::columns(const Load& load, bool in_place, C* grid, FftSign sign, View<C> buffers,
                          Context& ctx) const {
  parallel_for(ctx, n2_, block, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + half_buffer_;
    const Index count = end - begin;
    with_count(count, [&](auto lines) {
      for (Index i = 0; i < n1_; ++i)
        for (Index v = 0; v < lines; ++v) in[v * n1_ + i] = load(i * n2_ + begin + v);
    });
    // Where points crowd, most columns are zeros.
    if (std::any_of(in, in + count * n1_, [](const C& value) { return value != C(0); }))
      columns_[count < block][direction(sign)].execute(in, out);
    else if (in_place)
      return;
    else
      std::fill(out, out + count * n1_, C(0));
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
      twist(out + v * n2_, begin + v, -1);
      std::copy_n(out + v * n2_, n2_, grid + (begin + v) * n2_);
    }
  });
  columns([grid](Index i) { return grid[i]; }, true, grid, FftSign::forward, buffers, ctx);
}

template <typename T>
template <typename Store>
void LongLine<T>::rows_back(const C* grid, View<C> buffers, Context& ctx, const Store& store) const {
  parallel_for(ctx, n1_, block, [&](Index begin, Index end, int thread) {
    C* in = buffers.slice(thread).data();
    C* out = in + half_buffer_;
    const Index count = end - begin;
    for (Index v = 0; v < count; ++v) {
      std::copy_n(grid + (begin + v) * n2_, n2_, in + v * n2_);
      twist(in + v * n2_, begin + v, 1);
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
  columns([grid](Index i) { return grid[i]; }, true, grid, FftSign::backward, buffers, ctx);
  rows_back(grid, buffers, ctx, [&](Index begin, auto lines, Index j2, const C* from) {
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
  columns([values](Index j) { return C(values[2 * j].real(), values[2 * j + 1].real()); }, false, work,
          FftSign::backward, buffers, ctx);
  rows_back(work, buffers, ctx, [&](Index begin, auto lines, Index j2, const C* from) {
    for (Index v = 0; v < lines; ++v) values[begin + v + n1_ * j2] = from[v * n2_];
  });
}

template class LongLine<float>;
template class LongLine<double>;

}  // namespace larmor::nufft
