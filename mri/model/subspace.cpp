#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/model/subspace.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {
namespace {

using Complex = std::complex<double>;

// Columns of a matrix whose Gram matrix has a relative eigenvalue below this are linearly dependent.
constexpr double dependent = 1e-12;

Array<Complex> transpose(View<const Complex> a) {
  Array<Complex> result({a.shape()[1], a.shape()[0]});
  for (Index i = 0; i < a.shape()[0]; ++i)
    for (Index j = 0; j < a.shape()[1]; ++j) result[j * a.shape()[0] + i] = a[i * a.shape()[1] + j];
  return result;
}

}  // namespace

SubspaceBasis subspace_from_dictionary(View<const Complex> dictionary, Index coefficients) {
  if (dictionary.shape().rank() != 2 || dictionary.size() == 0)
    throw input_error("dictionary of shape {}, expected [entries, echoes]", dictionary.shape().to_string());
  const Index echoes = dictionary.shape()[1];
  if (coefficients < 1 || coefficients > echoes)
    throw usage_error("a subspace of {} coefficients for {} echoes, expected 1 to {}", coefficients, echoes,
                      echoes);
  require_comparable("dictionary", dictionary);
  // Left singular vectors of Dᵀ are the eigenvectors of Dᵀ D*.
  const auto columns = transpose(dictionary);
  const auto eigen = hermitian_eigen(matrix_product(columns, conjugate_transpose(columns)));
  if (!(eigen.values[0] > 0)) throw input_error("the dictionary is zero everywhere");
  const auto independent = std::count_if(eigen.values.begin(), eigen.values.end(),
                                         [&](double value) { return value > dependent * eigen.values[0]; });
  if (coefficients > independent)
    throw input_error(
        "the time courses of the dictionary span {} dimensions, but {} coefficients are requested",
        independent, coefficients)
        .about("coefficients");
  SubspaceBasis basis;
  basis.vectors = Array<Complex>({echoes, coefficients});
  double total = 0, kept = 0;
  for (Index l = 0; l < echoes; ++l) {
    const double energy = std::max(0.0, eigen.values[static_cast<std::size_t>(l)]);
    basis.singular_values.push_back(std::sqrt(energy));
    total += energy;
    if (l >= coefficients) continue;
    kept += energy;
    for (Index e = 0; e < echoes; ++e) basis.vectors[e * coefficients + l] = eigen.vectors[l * echoes + e];
  }
  basis.residual = std::sqrt(std::max(0.0, total - kept) / total);
  return basis;
}

SubspaceBasis given_subspace(View<const Complex> given, Index echoes) {
  if (given.shape().rank() != 2)
    throw input_error("basis of shape {}, expected [echoes, coefficients]", given.shape().to_string());
  require_representable("basis", given);
  const bool columns = given.shape()[0] == echoes;
  if (!columns && given.shape()[1] != echoes)
    throw input_error("basis of shape {} for {} echoes, expected [{}, coefficients]",
                      given.shape().to_string(), echoes, echoes);
  const auto phi = columns ? clone(given) : transpose(given);
  const Index coefficients = phi.shape()[1];
  if (coefficients < 1 || coefficients > echoes)
    throw input_error("basis of {} coefficients for {} echoes, expected at most as many", coefficients,
                      echoes);
  // Φ (ΦᴴΦ)^(−1/2): the orthonormal basis nearest to the given one (Löwdin 1950).
  const auto eigen = hermitian_eigen(matrix_product(conjugate_transpose(phi), phi));
  if (!(eigen.values.back() > dependent * eigen.values.front()))
    throw input_error("the {} columns of the basis depend on each other", coefficients);
  auto root = filled<Complex>({coefficients, coefficients}, 0.0);
  for (Index l = 0; l < coefficients; ++l) {
    const Complex* v = eigen.vectors.data() + l * coefficients;
    const double factor = 1 / std::sqrt(eigen.values[static_cast<std::size_t>(l)]);
    for (Index a = 0; a < coefficients; ++a)
      for (Index b = 0; b < coefficients; ++b) root[a * coefficients + b] += factor * v[a] * std::conj(v[b]);
  }
  SubspaceBasis basis;
  basis.vectors = matrix_product(phi, root);
  return basis;
}

Array<Complex> rows_of_samples(const SubspaceBasis& basis, const std::vector<Index>& echo) {
  const Index echoes = basis.vectors.shape()[0], coefficients = basis.vectors.shape()[1];
  Array<Complex> rows({static_cast<Index>(echo.size()), coefficients});
  for (std::size_t j = 0; j < echo.size(); ++j) {
    if (echo[j] < 0 || echo[j] >= echoes)
      throw input_error("sample {} belongs to echo {}, but the basis has {} echoes", j, echo[j], echoes);
    for (Index l = 0; l < coefficients; ++l)
      rows[static_cast<Index>(j) * coefficients + l] = basis.vectors[echo[j] * coefficients + l];
  }
  return rows;
}

Array<std::complex<float>> echo_images(const SubspaceBasis& basis,
                                       View<const std::complex<float>> coefficients, Context& ctx) {
  const Index echoes = basis.vectors.shape()[0], count = basis.vectors.shape()[1];
  if (coefficients.shape().rank() < 2 || coefficients.shape()[0] != count)
    throw usage_error("echo_images: coefficient images of shape {} for a basis of {}",
                      coefficients.shape().to_string(), count);
  const Shape image = coefficients.shape().drop_front(1);
  const Index pixels = image.size();
  Array<std::complex<float>> result(image.prepend(echoes));
  parallel_for(ctx.host(), echoes, 1, [&](Index begin, Index end, int) {
    for (Index e = begin; e < end; ++e)
      for (Index p = 0; p < pixels; ++p) {
        Complex sum = 0;
        for (Index l = 0; l < count; ++l)
          sum += basis.vectors[e * count + l] * Complex(coefficients[l * pixels + p]);
        result[e * pixels + p] = std::complex<float>(sum);
      }
  });
  return result;
}

}  // namespace larmor
