#include <larmor/core/format_error.hpp>
#include <larmor/core/math/linalg.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/dictionary/match.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

using Complex = std::complex<double>;

// The entries in the basis, [entries, coefficients]: row d becomes Φᴴ d.
Array<Complex> compressed(View<const Complex> curves, const SubspaceBasis* basis) {
  if (!basis) return clone(curves);
  Array<Complex> conjugate(basis->vectors.shape());
  std::transform(basis->vectors.begin(), basis->vectors.end(), conjugate.begin(),
                 [](const Complex& value) { return std::conj(value); });
  return matrix_product(curves, conjugate);
}

// Normalised entries, with coefficient l of all entries contiguous, so that loops over entries are
// vectorised.
struct UnitEntries {
  Index entries, length;
  std::vector<float> real, imaginary;  // [length, entries]
  std::vector<double> norms;

  explicit UnitEntries(const Array<Complex>& rows) : entries(rows.shape()[0]), length(rows.shape()[1]) {
    real.resize(static_cast<std::size_t>(rows.size()));
    imaginary.resize(static_cast<std::size_t>(rows.size()));
    for (Index e = 0; e < entries; ++e) {
      double square = 0;
      for (Index l = 0; l < length; ++l) square += std::norm(rows[e * length + l]);
      norms.push_back(std::sqrt(square));
      for (Index l = 0; square > 0 && l < length; ++l) {
        const Complex unit = rows[e * length + l] / norms.back();
        real[static_cast<std::size_t>(l * entries + e)] = static_cast<float>(unit.real());
        imaginary[static_cast<std::size_t>(l * entries + e)] = static_cast<float>(unit.imag());
      }
    }
  }

  // Inner products with a voxel's coefficients; re and im of every entry.
  void products(const std::complex<float>* voxel, Index stride, float* re, float* im) const {
    std::fill_n(re, entries, 0.0F);
    std::fill_n(im, entries, 0.0F);
    for (Index l = 0; l < length; ++l) {
      const float a = voxel[l * stride].real(), b = voxel[l * stride].imag();
      const float *p = real.data() + l * entries, *q = imaginary.data() + l * entries;
      for (Index e = 0; e < entries; ++e) {
        re[e] += p[e] * a + q[e] * b;
        im[e] += p[e] * b - q[e] * a;
      }
    }
  }
};

}  // namespace

MatchedMaps match_dictionary(View<const std::complex<float>> images, const SignalDictionary& dictionary,
                             const SubspaceBasis* basis, Context& ctx) {
  const Index frames = dictionary.curves.shape()[1];
  if (basis && basis->vectors.shape()[0] != frames)
    throw input_error("a basis of {} frames and a dictionary of {}, expected as many",
                      basis->vectors.shape()[0], frames);
  const Index length = basis ? basis->vectors.shape()[1] : frames;
  if (images.shape().rank() < 2 || images.shape()[0] != length)
    throw input_error("{} images to match, but the {}", images.shape().rank() > 0 ? images.shape()[0] : 0,
                      basis ? fmt::format("basis has {} coefficients", length)
                            : fmt::format("time courses of the dictionary have {} frames", length));
  const Shape expected{dictionary.curves.shape()[0], static_cast<Index>(dictionary.names.size())};
  if (dictionary.values.shape() != expected)
    throw input_error("values of shape {} for a dictionary of {} entries and {} names, expected {}",
                      dictionary.values.shape().to_string(), expected[0], expected[1], expected.to_string());
  const UnitEntries entries(compressed(dictionary.curves, basis));
  if (!(*std::max_element(entries.norms.begin(), entries.norms.end()) > 0))
    throw input_error("all entries of the dictionary are zero{}", basis ? " in the basis" : "");

  const Shape image = images.shape().drop_front(1);
  const Index pixels = image.size(), parameters = static_cast<Index>(dictionary.names.size());
  MatchedMaps maps;
  for (Index p = 0; p < parameters; ++p) maps.parameters.push_back(filled<float>(image, 0.0F));
  maps.proton_density = filled<std::complex<float>>(image, 0.0F);
  parallel_for(ctx.host(), pixels, 64, [&](Index begin, Index end, int) {
    std::vector<float> re(entries.norms.size()), im(entries.norms.size());
    for (Index x = begin; x < end; ++x) {
      entries.products(images.data() + x, pixels, re.data(), im.data());
      std::size_t best = 0;
      float largest = 0;
      for (std::size_t e = 0; e < re.size(); ++e) {
        const float square = re[e] * re[e] + im[e] * im[e];
        if (square > largest) {
          largest = square;
          best = e;
        }
      }
      if (!(largest > 0)) continue;
      maps.proton_density[x] = std::complex<float>(Complex(re[best], im[best]) / entries.norms[best]);
      for (Index p = 0; p < parameters; ++p)
        maps.parameters[static_cast<std::size_t>(p)][x] =
            static_cast<float>(dictionary.values[static_cast<Index>(best) * parameters + p]);
    }
  });
  return maps;
}

}  // namespace larmor
