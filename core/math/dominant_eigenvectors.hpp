#pragma once

#include <larmor/core/array.hpp>

#include <vector>

namespace larmor {

/// Hermitian matrices [channels, channels], one for every pixel of a row, stored by entries: the lower
/// triangle (a, b <= a), each entry `pixels` real parts followed by `pixels` imaginary parts.
class HermitianRow {
 public:
  HermitianRow(Index channels, Index pixels)
      : channels_(channels),
        pixels_(pixels),
        values_(static_cast<std::size_t>(channels * (channels + 1) * pixels)) {}

  Index channels() const { return channels_; }
  Index pixels() const { return pixels_; }
  float* real(Index a, Index b) { return values_.data() + 2 * (a * (a + 1) / 2 + b) * pixels_; }
  float* imag(Index a, Index b) { return real(a, b) + pixels_; }
  const float* real(Index a, Index b) const { return values_.data() + 2 * (a * (a + 1) / 2 + b) * pixels_; }
  const float* imag(Index a, Index b) const { return real(a, b) + pixels_; }
  void clear() { std::fill(values_.begin(), values_.end(), 0.0F); }

 private:
  Index channels_, pixels_;
  std::vector<float> values_;
};

/// The largest eigenvalue and its unit eigenvector of every matrix of a row, by power iteration (the matrices
/// are positive semi-definite), started from the column with the largest diagonal entry. vectors: for each
/// channel `pixels` real parts, then imaginary parts, as HermitianRow stores an entry. Eigenvalues that are
/// certainly below `least` may be given as 0, with any vector.
void dominant_eigenvectors(const HermitianRow& row, std::vector<float>& vectors,
                           std::vector<float>& eigenvalues, double least = 0);

}  // namespace larmor
