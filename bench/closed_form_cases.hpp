#pragma once

#include <larmor/core/context.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>
#include <larmor/solvers/solve.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace larmor::bench {

/// A method of computing an image from the samples of a case.
struct Method {
  std::string name;
  OperatorPtr<float> model;
  OperatorPtr<float> normal;
  /// The term without its λ ("wavelet", "tv:joint=1"), and the λ from which the search starts; empty:
  /// conjugate gradients at their best iteration.
  std::string term = {};
  double lambda = 0;
  Solver solver = Solver::automatic;
  Index iterations = 20;
  /// for admm, with this rho: see circulant_preconditioner, with λ = rho
  OperatorPtr<float> preconditioner = {};
  double rho = 0;
  ImageLayout layout = {};
  /// Converts the case's samples [coils, samples] to those of the model; none: unchanged.
  std::function<Array<std::complex<float>>(const Array<std::complex<float>>&)> arrange = nullptr;
  /// Converts the solution (in host memory) to the kind of quantity that the truth is; none: the image
  /// itself.
  std::function<Array<std::complex<float>>(Array<std::complex<float>>)> shown = nullptr;
  /// Uses the case's other samples, without off-resonance.
  bool reference_samples = false;
  /// Makes the model from the noisy samples, instead of `model` and `normal`; returns the largest deviation
  /// of the estimated quantity from the truth.
  std::function<OperatorPtr<float>(const Array<std::complex<float>>&, double& deviation)> fitted = nullptr;
};

/// A scan with samples in closed form or by exact sums.
struct Case {
  std::string name;
  std::string text;                    ///< description, one line
  Array<std::complex<float>> samples;  ///< [coils, samples] in units of the plain sum, without noise
  Array<std::complex<float>> reference_samples = {};
  Array<std::complex<float>> truth;
  double largest_of_resonance =
      1.3;  ///< limit of the ratio of the corrected error to that of the reference samples
  double largest_deviation = 0;  ///< limit of Method::fitted
  Index pixels = 0;              ///< number of samples of one image
  /// Number of the last axes that share a disc or ball of k-space, which the trajectory covers; the error is
  /// that inside. 0: all of k-space.
  int ball = 0;
  std::vector<Method> methods;                 ///< the first one is plain conjugate gradients
  std::map<std::string, double> figures = {};  ///< other values measured while making the case
};

struct CaseRow {
  const char* name;
  Case (*make)(bool quick, Context& ctx);
};
/// kooshball, stack-of-stars, field-map, subspace, dynamic, delays
const std::vector<CaseRow>& closed_form_cases();

}  // namespace larmor::bench
