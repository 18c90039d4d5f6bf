#pragma once

#include <cstdint>

namespace larmor {

/// A counter turned into 64 random bits (splitmix64, Steele, Lea & Flood 2014): the same for any order in
/// which counters are asked for.
inline std::uint64_t random_bits(std::uint64_t counter) {
  counter += 0x9e3779b97f4a7c15u;
  counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9u;
  counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebu;
  return counter ^ (counter >> 31);
}

}  // namespace larmor
