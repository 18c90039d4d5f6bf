#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/reconstruct/options/remarks.hpp>

#include <fmt/format.h>

#include <cmath>

namespace LARMOR_API larmor {

void SolutionRemarks::nothing_left(const std::vector<RegularizerSpec>& terms, Reporter& reporter) {
  if (std::exchange(nothing_left_, true)) return;
  reporter.warning(
      fmt::format("regularizer {} leaves nothing of the image: it is zero everywhere, and the data are not; "
                  "take a smaller lambda",
                  to_string(terms)));
}

void SolutionRemarks::misfit(double unexplained, double noise, Reporter& reporter) {
  if (std::exchange(misfit_, true)) return;
  reporter.warning(fmt::format(
      "the image leaves {:.2g} % of the data unexplained, of which noise is {:.2g} %: check the "
      "trajectory and its gradient delays, the field of view that is solved for and the coil maps",
      100 * unexplained, 100 * noise));
}

void SolutionRemarks::not_converged(Index iterations, Reporter& reporter) {
  if (std::exchange(convergence_, true)) return;
  reporter.warning(fmt::format("not converged after {} iterations: allow more", iterations));
}

void SolutionRemarks::tell_convergence(Index done, double distance, Index missing, bool wanted,
                                       Reporter& reporter) {
  const bool known = std::isfinite(distance);
  if (wanted)
    reporter.warning(
        known ? fmt::format(
                    "not converged after {} iterations: {:.2g} % of the image may change; about {} more "
                    "are missing: allow them, take a larger lambda, or the default without a regularizer",
                    done, 100 * distance, missing)
              : fmt::format("not converged after {} iterations, too few to tell how many are missing", done));
  else if (known)
    reporter.note(
        fmt::format("{} iterations, as asked: {:.2g} % of the image may change in about {} more, until it "
                    "converges",
                    done, 100 * distance, missing));
}

}  // namespace larmor
