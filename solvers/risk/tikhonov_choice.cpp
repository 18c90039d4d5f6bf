#include <larmor/core/format_error.hpp>
#include <larmor/solvers/risk/krylov_space.hpp>
#include <larmor/solvers/risk/tikhonov_choice.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// λ from 10^first on in steps of a quarter of an octave, at last 0.
constexpr double first_decade = 2, decades = 9;
constexpr int per_decade = 12;
// The error no longer falls where a quarter more iterations make it smaller by less than this,
constexpr double same_error = 1.005;
// and at least so many.
constexpr Index stride = 4;
// What iterations may still change, relative to the error: next to that it does not count.
constexpr double negligible = 0.1;

template <typename T>
class Errors {
 public:
  Errors(const KrylovSpace<T>& space, View<const std::complex<T>> image, Context& ctx)
      : space_(space), image_(image), ctx_(ctx), energy_(squared_norm<T>(image, ctx)) {}

  /// The basis is orthonormal: ‖Vy − s‖² = ‖y‖² − 2 Re yᵀVᴴs + ‖s‖².
  double operator()(Index iterations, double shift) {
    while (static_cast<Index>(projections_.size()) < space_.size())
      projections_.push_back(
          dot<T>(space_.vector(static_cast<Index>(projections_.size())), image_, ctx_).real());
    const auto place = space_.solution(iterations, shift);
    double squared = energy_;
    for (std::size_t i = 0; i < place.size(); ++i) squared += place[i] * (place[i] - 2 * projections_[i]);
    return std::sqrt(std::max(0.0, squared) / energy_);
  }
  /// How far one solution is from another, in the same units.
  double distance(Index iterations, Index others, double shift) const {
    auto place = space_.solution(std::max(iterations, others), shift);
    const auto fewer = space_.solution(std::min(iterations, others), shift);
    for (std::size_t i = 0; i < fewer.size(); ++i) place[i] -= fewer[i];
    double squared = 0;
    for (const double value : place) squared += value * value;
    return std::sqrt(squared / energy_);
  }

 private:
  const KrylovSpace<T>& space_;
  View<const std::complex<T>> image_;
  Context& ctx_;
  double energy_;
  std::vector<double> projections_;
};

std::vector<double> candidates() {
  std::vector<double> lambdas;
  for (int i = 0; i <= static_cast<int>(decades * per_decade); ++i)
    lambdas.push_back(std::pow(10.0, first_decade - static_cast<double>(i) / per_decade));
  lambdas.push_back(0);
  return lambdas;
}

}  // namespace

template <typename T>
TikhonovChoice choose_tikhonov(const LinearOperator<T>& normal,
                               std::type_identity_t<View<const std::complex<T>>> b,
                               std::type_identity_t<View<const std::complex<T>>> image, Index most,
                               bool weights, Context& ctx) {
  if (most < 1) throw usage_error("choose_tikhonov: {} iterations, expected 1 or more", most);
  if (!(squared_norm<T>(image, ctx) > 0)) throw usage_error("choose_tikhonov: the image is zero everywhere");
  KrylovSpace<T> space(normal, b, ctx);
  Errors<T> error(space, image, ctx);
  const auto lambdas = weights ? candidates() : std::vector<double>{0.0};
  TikhonovChoice choice;
  const auto best_after = [&](Index iterations) {
    TikhonovTrial best{0, iterations, 2};
    const double largest = space.largest();
    for (const double lambda : lambdas) {
      const double found = error(iterations, lambda * largest);
      if (found < best.error) best = {lambda, iterations, found};
    }
    return best;
  };
  std::vector<TikhonovTrial> after;  // the best of every number of iterations
  for (Index iteration = 1; iteration <= most && space.extend() && !choice.converged; ++iteration) {
    after.push_back(best_after(iteration));
    const Index before = iteration - stride - iteration / 4;
    if (before < stride) continue;
    const TikhonovTrial& now = after.back();
    choice.converged = after[static_cast<std::size_t>(before - 1)].error <= same_error * now.error;
    // Without weights the error may rise: what follows need not settle.
    if (weights && choice.converged)
      choice.converged =
          error.distance(before, iteration, now.lambda * space.largest()) <= negligible * now.error;
  }
  if (after.empty()) throw usage_error("choose_tikhonov: the data are zero everywhere");
  choice.converged = choice.converged || static_cast<Index>(after.size()) < most;
  choice.largest_eigenvalue = space.largest();
  if (weights) {
    choice.best = best_after(space.size());
    const double shift = choice.best.lambda * choice.largest_eigenvalue;
    for (Index k = 1; k < space.size(); ++k) {
      if (error.distance(k, space.size(), shift) > negligible * choice.best.error) continue;
      choice.best.iterations = k;
      break;
    }
    for (const double lambda : lambdas)
      choice.curve.push_back({lambda, space.size(), error(space.size(), lambda * choice.largest_eigenvalue)});
  } else {
    const auto less = [](const TikhonovTrial& one, const TikhonovTrial& other) {
      return one.error < other.error;
    };
    const double least = std::min_element(after.begin(), after.end(), less)->error;
    choice.best = *std::find_if(after.begin(), after.end(), [&](const TikhonovTrial& trial) {
      return trial.error <= same_error * least;
    });
    choice.curve = std::move(after);
  }
  return choice;
}

#define LARMOR_INSTANTIATE(T)                                                      \
  template TikhonovChoice choose_tikhonov<T>(                                      \
      const LinearOperator<T>&, std::type_identity_t<View<const std::complex<T>>>, \
      std::type_identity_t<View<const std::complex<T>>>, Index, bool, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
