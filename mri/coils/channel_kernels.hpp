#pragma once

#include <larmor/core/cuda/complex_value.hpp>

namespace larmor {

/// out[i, p] = Σ_j matrix[i, j] in[j, p] of pixel p < length.
struct MixChannels {
  static constexpr const char* name = "channel matrix";
  const ComplexValue<float>* matrix;
  std::int64_t rows, columns;
  const ComplexValue<float>* in;
  ComplexValue<float>* out;
  std::int64_t length;

  LARMOR_HOST_DEVICE void operator()(std::int64_t p) const {
    constexpr int together = 4;  // rows for which a value is read once
    for (std::int64_t i = 0; i < rows; i += together) {
      ComplexValue<float> sums[together]{};
      const std::int64_t left = rows - i;
      for (std::int64_t j = 0; j < columns; ++j) {
        const ComplexValue<float> value = in[j * length + p];
        for (int r = 0; r < together; ++r)
          if (r < left) sums[r] = sums[r] + product(matrix[(i + r) * columns + j], value);
      }
      for (int r = 0; r < together; ++r)
        if (r < left) out[(i + r) * length + p] = sums[r];
    }
  }
};

/// Every pixel then has root-sum-of-squares 1 over the channels of maps [channels, length], or 0.
struct NormaliseMaps {
  static constexpr const char* name = "normalised maps";
  ComplexValue<float>* maps;
  std::int64_t channels, length;

  LARMOR_HOST_DEVICE void operator()(std::int64_t p) const {
    double squares = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      const double re = maps[c * length + p].re, im = maps[c * length + p].im;
      squares += re * re + im * im;
    }
    const auto factor = static_cast<float>(squares > 0 ? 1 / std::sqrt(squares) : 0.0);
    for (std::int64_t c = 0; c < channels; ++c) maps[c * length + p] = factor * maps[c * length + p];
  }
};

}  // namespace larmor
