#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/reconstruct/options/remarks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Unexplained part of the data's norm, below which coil maps count as normal.
constexpr double ordinary_misfit = 0.05;
// More iterations fit at most this multiple of the energy that one step of steepest descent fits: 2.4 times
// in the worst simulated image without errors, after gridding or 2 to 15 iterations.
constexpr double further_steps = 3;

}  // namespace

bool misfits(double unexplained, double noise, double unfitted, double tolerated) {
  const double left = unexplained * unexplained - noise * noise - unfitted;
  return std::sqrt(std::max(0.0, left)) > std::max(tolerated, ordinary_misfit);
}

double still_fitted(double slope, double curvature) {
  return curvature > 0 ? further_steps * slope * slope / curvature : 0;
}

void SolutionRemarks::nothing_left(const std::vector<RegularizerSpec>& terms, Reporter& reporter) {
  if (std::exchange(nothing_left_, true)) return;
  reporter.warning(
      terms.empty() ? "the image is zero everywhere, although the data are not: check the coil maps and the "
                      "density weights"
                    : fmt::format("regularizer {} is too strong: the image is zero everywhere, although the "
                                  "data are not; use a smaller lambda",
                                  to_string(terms)));
}

void SolutionRemarks::misfit(double unexplained, double noise, const char* advice, Reporter& reporter) {
  if (std::exchange(misfit_, true)) return;
  reporter.warning(
      fmt::format("the image leaves {:.2g} % of the data unexplained, noise accounts for {:.2g} %: check the "
                  "trajectory, its gradient delays, the field of view to solve on and the coil maps{}",
                  100 * unexplained, 100 * noise, advice));
}

void SolutionRemarks::uncertain(double expected_error, Reporter& reporter) {
  if (std::exchange(uncertain_, true)) return;
  reporter.warning(
      fmt::format("the expected error is {:.2g} % of the image: the data do not determine most of it; check "
                  "the samples and the trajectory, or measure more readouts",
                  100 * expected_error));
}

void SolutionRemarks::not_converged(Index iterations, Reporter& reporter) {
  if (std::exchange(convergence_, true)) return;
  reporter.warning(fmt::format("not converged after {} iterations: allow more iterations", iterations));
}

void SolutionRemarks::tell_convergence(Index done, double distance, Index missing, bool wanted,
                                       const std::vector<RegularizerSpec>& terms, Reporter& reporter) {
  const bool known = std::isfinite(distance);
  if (wanted && !known)
    reporter.warning(fmt::format(
        "not converged after {} iterations, which are too few to estimate how many are needed", done));
  else if (wanted && terms.empty())
    reporter.warning(
        fmt::format("not converged after {} iterations: {:.2g} % of the image may change; about {} more "
                    "iterations are needed: allow them, or use the default, without a regularizer",
                    done, 100 * distance, missing));
  else if (wanted)
    reporter.warning(
        fmt::format("{} has not converged after {} iterations: {:.2g} % of the image may change; allow more "
                    "iterations, give a larger lambda, or use the default, without a regularizer",
                    to_string(terms), done, 100 * distance));
  else if (known)
    reporter.note(
        fmt::format("{} iterations, as requested: {:.2g} % of the image may change; it would converge "
                    "after about {} more",
                    done, 100 * distance, missing));
}

}  // namespace larmor
