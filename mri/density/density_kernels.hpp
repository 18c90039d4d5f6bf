#pragma once

#include <larmor/core/cuda/complex_value.hpp>

namespace larmor {

/// One step of Pipe and Menon's iteration: density_j /= (sum of the neighbourhood of j)^power, which becomes
/// the next weights too.
struct DivideByConvolved {
  static constexpr const char* name = "divide by what is convolved";
  /// A lone sample convolves to Σ window / pixels > 0; values below a fraction of that are errors of the
  /// transform.
  static constexpr double least_convolved = 1e-3;

  const ComplexValue<float>* convolved;
  double pixels, power;
  double* density;
  ComplexValue<float>* weights;

  LARMOR_HOST_DEVICE void operator()(std::int64_t j) const {
    const double sum = convolved[j].re / pixels;
    density[j] /= raised(sum > least_convolved ? sum : least_convolved);
    weights[j] = {static_cast<float>(density[j]), 0.0F};
  }

 private:
  // pow alone would take as long as a transform.
  LARMOR_HOST_DEVICE double raised(double v) const {
    if (power == 1) return v;
    if (power == 3) return v * v * v;
    return power == 1.5 ? v * std::sqrt(v) : std::pow(v, power);
  }
};

}  // namespace larmor
