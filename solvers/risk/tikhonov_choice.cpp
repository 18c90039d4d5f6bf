#include <larmor/core/format_error.hpp>
#include <larmor/solvers/methods/conjugate_gradient_loop.hpp>
#include <larmor/solvers/risk/krylov_space.hpp>
#include <larmor/solvers/risk/tikhonov_choice.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// λ from 10^first on in steps of a quarter of an octave, at last 0.
constexpr double first_decade = 2, decades = 9;
constexpr int per_decade = 12;
// Errors that differ by less are the same,
constexpr double same_error = 1.005;
// or as good where the solution may converge: the error of other data falls for some iterations more or
// fewer.
constexpr double settled_error = 1.02;
// and the least one has been seen where a quarter more iterations, and so many, find none that is smaller, or
// where the error has risen by so much.
constexpr Index stride = 4;
constexpr double risen = 1.05;

// The least error so far, after every iteration.
class LeastErrors {
 public:
  void add(double error) {
    last_ = error;
    least_.push_back(least_.empty() ? error : std::min(error, least_.back()));
  }
  double least() const { return least_.back(); }
  bool seen() const {
    const auto iterations = static_cast<Index>(least_.size()), before = iterations - stride - iterations / 4;
    if (iterations > stride && last_ > risen * least()) return true;
    return before > 0 && least_[static_cast<std::size_t>(before - 1)] <= same_error * least();
  }

 private:
  std::vector<double> least_;
  double last_ = 0;
};

template <typename T>
class Errors {
 public:
  Errors(const KrylovSpace<T>& space, View<const std::complex<T>> image, const LinearOperator<T>* judged,
         Context& ctx)
      : space_(space),
        judged_(judged),
        ctx_(ctx),
        coefficients_(of_judged(&LinearOperator<T>::codomain)),
        part_of_image_(of_judged(&LinearOperator<T>::domain)),
        part_of_vector_(of_judged(&LinearOperator<T>::domain)),
        image_(judged ? part_of(image, part_of_image_) : image),
        energy_(dot<T>(image, image_, ctx).real()) {}
  /// ‖Ps‖²
  double energy() const { return energy_; }

  /// ‖P(Vy − s)‖² = yᵀVᴴPᴴPVy − 2 Re yᵀVᴴPᴴPs + ‖Ps‖². The basis is orthonormal: without P the first is
  /// ‖y‖².
  double operator()(Index iterations, double shift) {
    while (static_cast<Index>(projections_.size()) < space_.size()) add_vector();
    const auto place = space_.solution(iterations, shift);
    double squared = energy_;
    for (std::size_t i = 0; i < place.size(); ++i) {
      squared += place[i] * (place[i] * of_vector(i, i) - 2 * projections_[i]);
      if (!judged_) continue;
      double below = 0;
      for (std::size_t j = 0; j < i; ++j) below += place[j] * of_vector(i, j);
      squared += 2 * place[i] * below;
    }
    return std::sqrt(std::max(0.0, squared) / energy_);
  }

 private:
  void add_vector() {
    const auto added = static_cast<Index>(projections_.size());
    const View<const std::complex<T>> vector = space_.vector(added);
    projections_.push_back(dot<T>(vector, image_, ctx_).real());
    if (!judged_) return;
    const auto row = space_.projections(added + 1, part_of(vector, part_of_vector_));
    products_.insert(products_.end(), row.begin(), row.end());
  }
  Array<std::complex<T>> of_judged(const Shape& (LinearOperator<T>::*shape)() const) const {
    return judged_ ? Array<std::complex<T>>((judged_->*shape)(), ctx_.device()) : Array<std::complex<T>>();
  }
  // PᴴPx
  View<const std::complex<T>> part_of(View<const std::complex<T>> x, Array<std::complex<T>>& part) {
    judged_->apply(x, coefficients_, ctx_);
    judged_->adjoint(coefficients_, part, ctx_);
    return part.view();
  }
  double of_vector(std::size_t i, std::size_t j) const {
    return judged_ ? products_[i * (i + 1) / 2 + j] : i == j ? 1 : 0;
  }

  const KrylovSpace<T>& space_;
  const LinearOperator<T>* judged_;
  Context& ctx_;
  Array<std::complex<T>> coefficients_, part_of_image_, part_of_vector_;
  View<const std::complex<T>> image_;  // the part of it that is judged
  double energy_;
  std::vector<double> projections_, products_;  // with the basis; of its vectors, row by row
};

std::vector<double> candidates() {
  std::vector<double> lambdas;
  for (int i = 0; i <= static_cast<int>(decades * per_decade); ++i)
    lambdas.push_back(std::pow(10.0, first_decade - static_cast<double>(i) / per_decade));
  lambdas.push_back(0);
  return lambdas;
}

// Conjugate gradients for (H + shift)x = b. look(iteration, x): whether to go on.
template <typename T, typename Look>
void iterate(const LinearOperator<T>& normal, View<const std::complex<T>> b, double shift, Index most,
             const Look& look, Context& ctx) {
  using C = std::complex<T>;
  Array<C> x(normal.domain(), ctx.device());
  fill<T>(x, 0, ctx);
  detail::ConjugateGradientLoop<T> loop(normal.domain(), {}, ctx);
  Array<C>&r = loop.residual(), &p = loop.direction(), &q = loop.product();
  copy<T>(b, r, ctx);
  normal.reserve(ctx);
  loop.begin(squared_norm<T>(r, ctx), ctx);
  loop.run(
      0, most,
      [&] {
        normal.apply(p, q, ctx);
        if (shift > 0) axpy<T>(shift, p, q, ctx);
        return dot<T>(p, q, ctx).real();
      },
      [&](double step) { axpy<T>(step, p, x, ctx); },
      [&](Index iteration) -> std::optional<double> {
        if (!look(iteration, View<const C>(x)) || iteration == most) return {};
        return squared_norm<T>(r, ctx);
      },
      [](Index) {}, ctx);
}

}  // namespace

template <typename T>
TikhonovChoice choose_tikhonov(const LinearOperator<T>& normal,
                               std::type_identity_t<View<const std::complex<T>>> b,
                               std::type_identity_t<View<const std::complex<T>>> image,
                               const TikhonovSearch<T>& search, Context& ctx,
                               Array<std::complex<T>>* solution) {
  const Index most = search.most;
  if (most < 1) throw usage_error("choose_tikhonov: {} iterations, expected 1 or more", most);
  if (!(squared_norm<T>(image, ctx) > 0)) throw usage_error("choose_tikhonov: the image is zero everywhere");
  KrylovSpace<T> space(normal, b, ctx);
  if (search.judged) search.judged->reserve(ctx);
  Errors<T> error(space, image, search.judged, ctx);
  if (!(error.energy() > 0)) throw usage_error("choose_tikhonov: nothing of the image is judged");
  const auto lambdas = search.weights ? candidates() : std::vector<double>{0.0};
  TikhonovChoice choice;
  std::vector<TikhonovTrial>& after = choice.curve;
  std::vector<double> without;  // the error of λ = 0 after every number of iterations
  LeastErrors least_errors;
  std::vector<double> largest_after;
  for (Index iteration = 1; iteration <= most && !choice.converged && !choice.given_up && space.extend();
       ++iteration) {
    const double largest = largest_after.emplace_back(space.largest());
    TikhonovTrial best{0, iteration, 2};
    for (const double lambda : lambdas) {
      const double found = error(iteration, lambda * largest);
      if (found < best.error) best = {lambda * largest, iteration, found};
      if (lambda == 0) without.push_back(found);
    }
    after.push_back(best);
    least_errors.add(best.error);
    choice.converged = least_errors.seen();
    choice.given_up = !choice.converged && search.patience > 0 && iteration >= search.patience &&
                      least_errors.least() > search.expected;
  }
  if (after.empty()) throw usage_error("choose_tikhonov: the data are zero everywhere");
  const double least = least_errors.least();
  choice.converged = choice.converged || (!choice.given_up && static_cast<Index>(after.size()) < most);
  choice.largest_eigenvalue = space.largest();
  const std::size_t made = largest_after.size(), earlier = made - std::max<std::size_t>(2, made / 4);
  choice.largest_is_known =
      made > 6 && choice.largest_eigenvalue - largest_after[earlier - 1] <= 1e-6 * choice.largest_eigenvalue;
  for (TikhonovTrial& trial : after) trial.lambda /= choice.largest_eigenvalue;
  const auto good = [&](double found) { return found <= same_error * least; };
  choice.near_best = std::find_if(after.begin(), after.end(), [&](const TikhonovTrial& trial) {
                       return trial.error <= settled_error * least;
                     })->iterations;
  choice.settled = choice.converged && after.back().lambda > 0 && after.back().error <= settled_error * least;
  if (choice.settled) {
    choice.best = after.back();
  } else {
    for (const TikhonovTrial& trial : after)
      if (good(trial.error)) choice.best = trial;
    // Nothing but to stop in time is simpler than a weight.
    for (std::size_t i = 0; i < without.size(); ++i)
      if (good(without[i])) choice.best = {0, static_cast<Index>(i) + 1, without[i]};
  }
  if (search.compared) {
    while (space.size() < search.compared->iterations && space.extend()) continue;
    choice.compared =
        error(search.compared->iterations, search.compared->lambda * choice.largest_eigenvalue) / least;
  }
  if (solution)
    *solution = space.combined(
        space.solution(choice.best.iterations, choice.best.lambda * choice.largest_eigenvalue));
  return choice;
}

template <typename T>
Rehearsal rehearse(const LinearOperator<T>& normal, std::type_identity_t<View<const std::complex<T>>> b,
                   std::type_identity_t<View<const std::complex<T>>> image, double shift, Index planned,
                   Index most, Context& ctx, const LinearOperator<T>* judged) {
  using C = std::complex<T>;
  if (judged) judged->reserve(ctx);
  const Array<C> judged_image = judged ? judged->apply(image, ctx) : Array<C>();
  Array<C> judged_x = judged ? Array<C>(judged->codomain(), ctx.device()) : Array<C>();
  const double energy = squared_norm<T>(judged ? judged_image.view() : image, ctx);
  if (!(energy > 0)) throw usage_error("rehearse: the image is zero everywhere");
  std::vector<double> errors;
  LeastErrors least;
  iterate<T>(
      normal, b, shift, most,
      [&](Index iteration, View<const C> x) {
        if (judged) judged->apply(x, judged_x, ctx);
        const View<const C> made = judged ? judged_x.view() : x,
                            wanted = judged ? judged_image.view() : image;
        const auto [common, size] = dots<T>({{made, wanted}, {made, made}}, ctx);
        errors.push_back(std::sqrt(std::max(0.0, size.real() - 2 * common.real() + energy) / energy));
        least.add(errors.back());
        return iteration < planned || !least.seen();
      },
      ctx);
  if (errors.empty()) throw usage_error("rehearse: the data are zero everywhere");
  Rehearsal best;
  for (std::size_t i = 0; i < errors.size(); ++i)
    if (errors[i] <= same_error * least.least()) best = {static_cast<Index>(i) + 1, errors[i]};
  return best;
}

#define LARMOR_INSTANTIATE(T)                                                                              \
  template TikhonovChoice choose_tikhonov<T>(const LinearOperator<T>&,                                     \
                                             std::type_identity_t<View<const std::complex<T>>>,            \
                                             std::type_identity_t<View<const std::complex<T>>>,            \
                                             const TikhonovSearch<T>&, Context&, Array<std::complex<T>>*); \
  template Rehearsal rehearse<T>(const LinearOperator<T>&,                                                 \
                                 std::type_identity_t<View<const std::complex<T>>>,                        \
                                 std::type_identity_t<View<const std::complex<T>>>, double, Index, Index,  \
                                 Context&, const LinearOperator<T>*);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
