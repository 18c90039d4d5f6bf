#pragma once

#include <larmor/core/cuda/complex_value.hpp>

// Combines samples of several transforms with a basis, for both devices. Rows are coils.
namespace larmor::nufft {

/// y[c][j] (+)= Σ_l b[l][j] s[l][c][j] for l < terms, c < coils, j < samples
template <typename T>
struct CombineRows {
  static constexpr const char* name = "combine rows";
  const ComplexValue<T>*b, *s;
  ComplexValue<T>* y;
  std::int64_t terms, coils, samples;
  bool accumulate;

  struct Line {
    const CombineRows* body;
    std::int64_t c;
    LARMOR_HOST_DEVICE void operator()(std::int64_t j) const {
      ComplexValue<T>& out = body->y[c * body->samples + j];
      ComplexValue<T> sum = body->accumulate ? out : ComplexValue<T>{0, 0};
      for (std::int64_t l = 0; l < body->terms; ++l)
        sum =
            sum + product(body->b[l * body->samples + j], body->s[(l * body->coils + c) * body->samples + j]);
      out = sum;
    }
    void run(std::int64_t first, std::int64_t last) const {
      ComplexValue<T>* out = body->y + c * body->samples;
      if (!body->accumulate)
        for (std::int64_t j = first; j < last; ++j) out[j] = {0, 0};
      for (std::int64_t l = 0; l < body->terms; ++l) {
        const ComplexValue<T>*w = body->b + l * body->samples,
              *in = body->s + (l * body->coils + c) * body->samples;
        for (std::int64_t j = first; j < last; ++j) out[j] = out[j] + product(w[j], in[j]);
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t c) const { return {this, c}; }
};

/// s[l][c][j] = conj(b[l][j]) y[c][j], the adjoint.
template <typename T>
struct SpreadRows {
  static constexpr const char* name = "spread rows";
  const ComplexValue<T>*b, *y;
  ComplexValue<T>* s;
  std::int64_t terms, coils, samples;

  struct Line {
    const SpreadRows* body;
    std::int64_t c;
    LARMOR_HOST_DEVICE void operator()(std::int64_t j) const {
      const ComplexValue<T> value = body->y[c * body->samples + j];
      for (std::int64_t l = 0; l < body->terms; ++l)
        body->s[(l * body->coils + c) * body->samples + j] =
            conjugate_product(body->b[l * body->samples + j], value);
    }
    void run(std::int64_t first, std::int64_t last) const {
      const ComplexValue<T>* in = body->y + c * body->samples;
      for (std::int64_t l = 0; l < body->terms; ++l) {
        const ComplexValue<T>* w = body->b + l * body->samples;
        ComplexValue<T>* out = body->s + (l * body->coils + c) * body->samples;
        for (std::int64_t j = first; j < last; ++j) out[j] = conjugate_product(w[j], in[j]);
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t c) const { return {this, c}; }
};

}  // namespace larmor::nufft
