#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/parallel.hpp>

#include <complex>
#include <cstdint>

namespace larmor {

/// Maps a counter to 64 random bits (splitmix64, Steele, Lea & Flood 2014), independent of the order of the
/// counters.
inline std::uint64_t random_bits(std::uint64_t counter) {
  counter += 0x9e3779b97f4a7c15u;
  counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9u;
  counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebu;
  return counter ^ (counter >> 31);
}

/// 1 or −1 for each counter, independent of each other.
template <typename T>
T random_sign(std::uint64_t counter) {
  return (random_bits(counter) & 1U) != 0 ? T(1) : T(-1);
}

/// The random signs of the counters first, first + 1, …, in host memory.
template <typename T>
void fill_with_signs(View<std::complex<T>> signs, std::uint64_t first, const Context& ctx) {
  constexpr Index grain = 1 << 14;
  parallel_for(ctx, signs.size(), grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) signs[i] = random_sign<T>(first + static_cast<std::uint64_t>(i));
  });
}

}  // namespace larmor
