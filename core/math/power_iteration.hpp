#pragma once

#include <cstdint>

namespace larmor {

/// Power iteration on Hermitian matrices of a row of pixels. matrices and vectors as HermitianRow and
/// dominant_eigenvectors() have them.
struct PowerIteration {
  std::int64_t channels, pixels;
  const float* matrices;
  float *vectors, *eigenvalues;
  float* scratch;  ///< power_iteration_scratch(channels) floats
};

/// Pixels that the widest instructions take together.
inline constexpr std::int64_t most_lanes = 16;
inline constexpr std::int64_t power_iteration_scratch(std::int64_t channels) {
  return most_lanes * (channels * (channels + 1) + 4 * channels);
}

}  // namespace larmor
