#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <complex>
#include <vector>

namespace LARMOR_API larmor {

// A subspace model writes the time course of every pixel, over the echoes (frames, inversion times) e, as a
// combination of few basis vectors: ρ_e(x) = Σ_l Φ[e,l] α_l(x) (Tamir et al. 2017). The coefficient images α
// are reconstructed; Φ has orthonormal columns, so that noise is not amplified and echo images are Φ α.

/// The time courses whose combinations form a series.
struct SubspaceBasis {
  Array<std::complex<double>> vectors;  ///< Φ [echoes, coefficients], orthonormal columns
  std::vector<double>
      singular_values;  ///< of the dictionary, descending, all of them; empty for a given basis
  /// Square root of the relative energy of the dictionary outside the subspace: the average error of the
  /// model itself.
  double residual = 0;
};

/// The principal components of a dictionary [entries, echoes]: the leading left singular vectors of its
/// transpose. Throws Error (usage) for counts below 1 or above the number of echoes, Error (input) for
/// entries that are not finite or all zero.
SubspaceBasis subspace_from_dictionary(View<const std::complex<double>> dictionary, Index coefficients);

/// A given basis [echoes, coefficients], or [coefficients, echoes] if only that has as many echoes; its
/// columns are made orthonormal, spanning the same subspace. Throws Error (input) naming both lengths if
/// neither axis has `echoes` entries, if it is not finite, or if its columns are linearly dependent.
SubspaceBasis given_subspace(View<const std::complex<double>> basis, Index echoes);

/// One row of Φ for each sample: [samples, coefficients], echo[j] in [0, echoes) the echo of sample j. Throws
/// Error (input) naming the first echo out of range.
Array<std::complex<double>> rows_of_samples(const SubspaceBasis& basis, const std::vector<Index>& echo);

/// Echo images Φ α of coefficient images [coefficients, (z,) y, x]: [echoes, (z,) y, x]. Host memory.
Array<std::complex<float>> echo_images(const SubspaceBasis& basis,
                                       View<const std::complex<float>> coefficients, Context& ctx);

}  // namespace larmor
