#pragma once

#include <larmor/core/math/cuda/line_fft.hpp>

#include <utility>

namespace larmor::cuda {

/// A complex number that loads and stores as one access.
template <typename T>
struct alignas(2 * sizeof(T)) Complex {
  T re, im;
};

template <typename T>
__device__ __forceinline__ Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
__device__ __forceinline__ Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
__device__ __forceinline__ Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T>
__device__ __forceinline__ Complex<T> operator*(Complex<T> a, T b) {
  return {a.re * b, a.im * b};
}
template <typename T>
__device__ __forceinline__ Complex<T> conjugate(Complex<T> a) {
  return {a.re, -a.im};
}
/// i·conj(a). Applied before and after, at no cost, it turns a forward transform into a backward one.
template <typename T>
__device__ __forceinline__ Complex<T> swapped(Complex<T> a) {
  return {a.im, a.re};
}

// Small discrete Fourier transforms in registers, exp(−2πi…), everything unrolled.

template <int... i, typename Body>
__device__ __forceinline__ void call_each(std::integer_sequence<int, i...>, const Body& body) {
  (body(i), ...);
}
template <int... i, typename Body>
__device__ __forceinline__ void call_each_constant(std::integer_sequence<int, i...>, const Body& body) {
  (body(std::integral_constant<int, i>{}), ...);
}
/// Calls body(0), …, body(count − 1).
template <int count, typename Body>
__device__ __forceinline__ void unrolled(const Body& body) {
  call_each(std::make_integer_sequence<int, count>{}, body);
}
/// The same with std::integral_constant<int, 0>{}, …, which compiles more slowly.
template <int count, typename Body>
__device__ __forceinline__ void unrolled_constants(const Body& body) {
  call_each_constant(std::make_integer_sequence<int, count>{}, body);
}

struct CosSin {
  double cosine, sine;
};
/// of the angle 2πk/n, by Taylor series within an eighth of a turn
constexpr CosSin cos_sin_of_turn(int k, int n) {
  k = (k % n + n) % n;
  const int eighths = (8 * k + n / 2) / n;  // nearest multiple of π/4
  const double angle = 6.283185307179586476925 * (8.0 * k - static_cast<double>(eighths) * n) / (8.0 * n);
  double c = 0, s = 0, term = 1;
  for (int i = 0; i < 24; ++i) {
    const double sign = i % 4 < 2 ? 1 : -1;
    (i % 2 == 0 ? c : s) += sign * term;
    term *= angle / (i + 1);
  }
  constexpr double half_root = 0.7071067811865475244;
  switch (eighths % 8) {
    case 0:
      return {c, s};
    case 1:
      return {half_root * (c - s), half_root * (c + s)};
    case 2:
      return {-s, c};
    case 3:
      return {-half_root * (c + s), half_root * (c - s)};
    case 4:
      return {-c, -s};
    case 5:
      return {-half_root * (c - s), -half_root * (c + s)};
    case 6:
      return {s, -c};
    default:
      return {half_root * (c + s), -half_root * (c - s)};
  }
}

/// a·exp(−2πik/n)
template <int k, int n, typename T>
__device__ __forceinline__ Complex<T> turned(Complex<T> a) {
  constexpr int eighth = 8 * k % n == 0 ? 8 * k / n % 8 : -1;
  if constexpr (eighth == 0) {
    return a;
  } else if constexpr (eighth == 2) {
    return {a.im, -a.re};
  } else if constexpr (eighth == 4) {
    return {-a.re, -a.im};
  } else if constexpr (eighth == 6) {
    return {-a.im, a.re};
  } else if constexpr (eighth == 1) {
    constexpr T c = static_cast<T>(0.7071067811865475244);
    return {c * (a.re + a.im), c * (a.im - a.re)};
  } else if constexpr (eighth == 3) {
    constexpr T c = static_cast<T>(0.7071067811865475244);
    return {c * (a.im - a.re), -c * (a.re + a.im)};
  } else {
    constexpr CosSin w = cos_sin_of_turn(k, n);
    constexpr T c = static_cast<T>(w.cosine), s = static_cast<T>(w.sine);
    return {a.re * c + a.im * s, a.im * c - a.re * s};
  }
}

/// The first factor of a composite radix, 1 for 2, 4 and odd primes.
constexpr int first_factor(int radix) {
  return radix == 4 || radix == 2 ? 1
         : radix % 4 == 0         ? 4
         : radix % 2 == 0         ? 2
         : radix == 9             ? 3
         : radix == 15            ? 3
                                  : 1;
}

/// v = DFT(v), natural order in and out. Inputs that are not live are zero; if the radix allows it, they cost
/// nothing.
template <int radix, Live live = Live::all, typename T>
__device__ __forceinline__ void dft(Complex<T> (&v)[radix]) {
  constexpr int first = first_factor(radix);
  if constexpr (radix == 1) {
    return;
  } else if constexpr (radix == 2 && live == Live::first_half) {
    v[1] = v[0];
  } else if constexpr (radix == 2) {
    const Complex<T> sum = v[0] + v[1];
    v[1] = v[0] - v[1];
    v[0] = sum;
  } else if constexpr (radix == 4 && live == Live::first_half) {
    const Complex<T> a = v[0], b = v[1];
    v[0] = a + b;
    v[2] = a - b;
    v[1] = {a.re + b.im, a.im - b.re};
    v[3] = {a.re - b.im, a.im + b.re};
  } else if constexpr (radix == 4 && live == Live::outer_quarters) {
    const Complex<T> a = v[0], b = v[3];
    v[0] = a + b;
    v[2] = a - b;
    v[1] = {a.re - b.im, a.im + b.re};
    v[3] = {a.re + b.im, a.im - b.re};
  } else if constexpr (radix == 4) {
    const Complex<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
    v[0] = a + c;
    v[2] = a - c;
    v[1] = {b.re + d.im, b.im - d.re};
    v[3] = {b.re - d.im, b.im + d.re};
  } else if constexpr (first > 1) {
    // n = second·n1 + n2, k = k1 + first·k2
    constexpr int second = radix / first;
    unrolled_constants<second>([&](auto n2) {
      Complex<T> u[first];
      unrolled<first>([&](auto n1) { u[n1] = v[second * n1 + n2]; });
      dft<first, live>(u);
      unrolled_constants<first>([&](auto k1) { v[second * k1 + n2] = turned<n2 * k1, radix>(u[k1]); });
    });
    Complex<T> out[radix];
    unrolled<first>([&](auto k1) {
      Complex<T> u[second];
      unrolled<second>([&](auto n2) { u[n2] = v[second * k1 + n2]; });
      dft<second>(u);
      unrolled<second>([&](auto k2) { out[k1 + first * k2] = u[k2]; });
    });
    unrolled<radix>([&](auto k) { v[k] = out[k]; });
  } else {
    // An odd prime: cosines multiply sums, sines multiply differences.
    constexpr int half = radix / 2;
    Complex<T> sum[half], difference[half], total = v[0];
    unrolled<half>([&](auto j) {
      sum[j] = v[j + 1] + v[radix - 1 - j];
      difference[j] = v[j + 1] - v[radix - 1 - j];
      total = total + sum[j];
    });
    const Complex<T> first_value = v[0];
    unrolled_constants<half>([&](auto k) {
      Complex<T> even = first_value, odd{0, 0};
      unrolled_constants<half>([&](auto j) {
        constexpr CosSin w = cos_sin_of_turn((j + 1) * (k + 1), radix);
        constexpr T c = static_cast<T>(w.cosine), s = static_cast<T>(w.sine);
        even = {even.re + c * sum[j].re, even.im + c * sum[j].im};
        odd = {odd.re + s * difference[j].re, odd.im + s * difference[j].im};
      });
      v[k + 1] = {even.re + odd.im, even.im - odd.re};
      v[radix - 1 - k] = {even.re - odd.im, even.im + odd.re};
    });
    v[0] = total;
  }
}

}  // namespace larmor::cuda
