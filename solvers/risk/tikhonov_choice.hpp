#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Tikhonov's solution by some iterations of conjugate gradients, and how far from the image it was.
struct TikhonovTrial {
  double lambda = 0;     ///< relative to the largest eigenvalue of H
  Index iterations = 0;  ///< of conjugate gradients
  double error = 0;      ///< ‖x − image‖ / ‖image‖, or that of what is judged
};

/// What is best for an image that is known.
struct TikhonovChoice {
  TikhonovTrial best;
  double largest_eigenvalue = 0;     ///< of H, as the iterations saw it
  bool largest_is_known = false;     ///< the last quarter of them has not changed it by a millionth
  bool converged = false;            ///< more iterations would not have made the error smaller
  Index near_best = 0;               ///< iterations after which the error is within 2 % of the least one
  bool settled = false;              ///< nor larger: the solution with that weight may converge
  bool given_up = false;             ///< TikhonovSearch::patience was at an end
  double compared = 0;               ///< the error of TikhonovSearch::compared relative to the least
  std::vector<TikhonovTrial> curve;  ///< the best λ after every number of iterations
};

/// What is looked for, and how long.
template <typename T>
struct TikhonovSearch {
  Index most = 0;  ///< iterations
  /// false: λ is 0, so that no weight has to be known relative to ‖H‖.
  bool weights = true;
  /// After so many iterations the search is given up, unless the error has fallen below `expected`, that of
  /// something better known. 0: it goes on.
  Index patience = 0;
  double expected = 0;
  /// A trial whose error is wanted too, iterations that nothing else asks for included.
  const TikhonovTrial* compared = nullptr;
  /// P, if only a part of the image is judged: errors are ‖P(x − image)‖ / ‖P image‖.
  const LinearOperator<T>* judged = nullptr;
};

/// The λ, from 100 to 0, and the number of iterations of conjugate gradients for which what they make of
/// (H + λ‖H‖)x = b is nearest to `image`. Where the error has settled that of the most iterations; where it
/// rises again the most within half a per cent of the least error, and λ = 0 where that is as near. All λ
/// come from one Krylov space, which grows until the least error has been seen, to at most search.most
/// dimensions. For data that were made from an image: what is best for those is best for other data of the
/// same power spectrum, sampling and noise, since the expected error of a linear estimate depends on no more,
/// and conjugate gradients are nearly one until they stop. `solution`: gets x of the best where it is not
/// null.
template <typename T>
TikhonovChoice choose_tikhonov(const LinearOperator<T>& normal,
                               std::type_identity_t<View<const std::complex<T>>> b,
                               std::type_identity_t<View<const std::complex<T>>> image,
                               const TikhonovSearch<T>& search, Context& ctx,
                               Array<std::complex<T>>* solution = nullptr);

/// How many iterations come nearest to an image that is known, and how near.
struct Rehearsal {
  Index iterations = 0;
  double error = 0;  ///< as that of TikhonovTrial
};

/// Solves (H + shift)x = b as solvers do, by conjugate gradients that keep nothing but their last direction.
/// In single precision they lose what makes the spaces above: where eigenvalues are spread they need up to
/// one and a half times as many iterations for the same (Paige 1971). At least `planned` iterations and at
/// most `most`, until the least error has been seen; what is taken has the most of them within half a per
/// cent of it. judged: as in TikhonovSearch.
template <typename T>
Rehearsal rehearse(const LinearOperator<T>& normal, std::type_identity_t<View<const std::complex<T>>> b,
                   std::type_identity_t<View<const std::complex<T>>> image, double shift, Index planned,
                   Index most, Context& ctx, const LinearOperator<T>* judged = nullptr);

}  // namespace larmor
