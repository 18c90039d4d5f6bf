#include <larmor/core/math/dominant_eigenvectors.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace larmor {
namespace {

// Pixels that iterate together, one per vector lane.
constexpr Index lanes = 8;
constexpr int iterations = 30;
// ‖v_new − v‖² at which all lanes have converged.
constexpr float converged = 1e-12F;

using Lane = std::array<float, lanes>;

}  // namespace

void dominant_eigenvectors(const HermitianRow& row, std::vector<float>& vectors,
                           std::vector<float>& eigenvalues) {
  const Index channels = row.channels(), pixels = row.pixels();
  vectors.assign(static_cast<std::size_t>(2 * channels * pixels), 0.0F);
  eigenvalues.assign(static_cast<std::size_t>(pixels), 0.0F);
  const auto entries = static_cast<std::size_t>(channels * (channels + 1) / 2);
  std::vector<Lane> mr(entries), mi(entries);
  std::vector<Lane> vr(static_cast<std::size_t>(channels)), vi(vr.size()), wr(vr.size()), wi(vr.size());

  for (Index first = 0; first < pixels; first += lanes) {
    const Index count = std::min(lanes, pixels - first);
    for (Index a = 0, entry = 0; a < channels; ++a)
      for (Index b = 0; b <= a; ++b, ++entry) {
        auto &re = mr[static_cast<std::size_t>(entry)], &im = mi[static_cast<std::size_t>(entry)];
        re.fill(0);
        im.fill(0);
        std::copy_n(row.real(a, b) + first, count, re.begin());
        std::copy_n(row.imag(a, b) + first, count, im.begin());
      }
    const auto at = [](Index a, Index b) { return static_cast<std::size_t>(a * (a + 1) / 2 + b); };
    const auto index = [](Index c) { return static_cast<std::size_t>(c); };

    for (Index l = 0; l < lanes; ++l) {
      Index largest = 0;
      for (Index c = 1; c < channels; ++c)
        if (mr[at(c, c)][index(l)] > mr[at(largest, largest)][index(l)]) largest = c;
      float squares = 0;
      for (Index c = 0; c < channels; ++c) {
        const bool below = c >= largest;
        const auto entry = below ? at(c, largest) : at(largest, c);
        vr[index(c)][index(l)] = mr[entry][index(l)];
        vi[index(c)][index(l)] = below ? mi[entry][index(l)] : -mi[entry][index(l)];
        squares +=
            vr[index(c)][index(l)] * vr[index(c)][index(l)] + vi[index(c)][index(l)] * vi[index(c)][index(l)];
      }
      const float factor = squares > 0 ? 1 / std::sqrt(squares) : 0.0F;
      for (Index c = 0; c < channels; ++c) {
        vr[index(c)][index(l)] *= factor;
        vi[index(c)][index(l)] *= factor;
      }
    }

    Lane norm{};
    for (int iteration = 0; iteration < iterations; ++iteration) {
      norm.fill(0);
      for (Index a = 0; a < channels; ++a) {
        Lane re{}, im{};
        for (Index b = 0; b < channels; ++b) {
          const bool below = b <= a;
          const Lane &hr = mr[below ? at(a, b) : at(b, a)], &hi = mi[below ? at(a, b) : at(b, a)];
          const Lane &xr = vr[index(b)], &xi = vi[index(b)];
          const float sign = below ? 1.0F : -1.0F;
          for (std::size_t l = 0; l < lanes; ++l) {
            re[l] += hr[l] * xr[l] - sign * hi[l] * xi[l];
            im[l] += hr[l] * xi[l] + sign * hi[l] * xr[l];
          }
        }
        wr[index(a)] = re;
        wi[index(a)] = im;
        for (std::size_t l = 0; l < lanes; ++l) norm[l] += re[l] * re[l] + im[l] * im[l];
      }
      Lane change{};
      for (std::size_t l = 0; l < lanes; ++l) norm[l] = std::sqrt(norm[l]);
      for (Index c = 0; c < channels; ++c)
        for (std::size_t l = 0; l < lanes; ++l) {
          const float factor = norm[l] > 0 ? 1 / norm[l] : 0.0F;
          const float re = wr[index(c)][l] * factor, im = wi[index(c)][l] * factor;
          const float dr = re - vr[index(c)][l], di = im - vi[index(c)][l];
          change[l] += dr * dr + di * di;
          vr[index(c)][l] = re;
          vi[index(c)][l] = im;
        }
      if (*std::max_element(change.begin(), change.end()) < converged) break;
    }

    std::copy_n(norm.begin(), count, eigenvalues.begin() + first);
    for (Index c = 0; c < channels; ++c) {
      std::copy_n(vr[index(c)].begin(), count, vectors.begin() + 2 * c * pixels + first);
      std::copy_n(vi[index(c)].begin(), count, vectors.begin() + (2 * c + 1) * pixels + first);
    }
  }
}

}  // namespace larmor
