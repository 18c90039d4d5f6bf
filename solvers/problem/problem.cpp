#include <larmor/operators/basic.hpp>
#include <larmor/operators/ranks.hpp>
#include <larmor/solvers/problem/problem.hpp>

namespace LARMOR_API larmor {

template <typename T>
SolvableTerms terms_of(const Problem<T>& problem, Context& ctx) {
  const Regularizer<T>* only = nullptr;
  for (const auto& term : problem.regularizers) {
    if (term.quadratic || term.lambda == 0) continue;
    if (only) return SolvableTerms::any;
    only = &term;
  }
  if (!only) return SolvableTerms::quadratic;
  return is_unitary(*only, ctx) ? SolvableTerms::one_unitary : SolvableTerms::any;
}

template <typename T>
bool is_unitary(const Regularizer<T>& term, Context& ctx) {
  if (!term.transform) return true;
  return term.auxiliary == 0 && term.transform.codomain().size() == term.transform.domain().size() &&
         dynamic_cast<const Identity<T>*>(&term.transform.normal(ctx).held()) != nullptr;
}

template <typename T>
Problem<T> detail::problem_of(const LinearOperator<T>& A, View<const std::complex<T>> y,
                              std::vector<Regularizer<T>> terms, const NormalOptions& normal, Context& ctx) {
  using Samples = SharedArray<std::complex<T>>;
  Problem<T> problem{A.normal(normal, ctx)};
  problem.samples = y.device() == ctx.device() ? Samples::borrowed(y) : Samples(copied_to(ctx.device(), y));
  problem.rhs = A.adjoint(problem.samples, ctx);
  problem.regularizers = std::move(terms);
  problem.model = A;
  problem.data_energy = squared_norm_of_samples<T>(A, problem.samples, ctx);
  return problem;
}

#define LARMOR_INSTANTIATE(T)                                                                      \
  template SolvableTerms terms_of<T>(const Problem<T>&, Context&);                                 \
  template bool is_unitary<T>(const Regularizer<T>&, Context&);                                    \
  template Problem<T> detail::problem_of<T>(const LinearOperator<T>&, View<const std::complex<T>>, \
                                            std::vector<Regularizer<T>>, const NormalOptions&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
