#include <larmor/core/math/dominant_eigenvectors.hpp>
#include <larmor/core/math/small_matrices.hpp>

namespace larmor {

void dominant_eigenvectors(const HermitianRow& row, std::vector<float>& vectors,
                           std::vector<float>& eigenvalues, double least) {
  const Index channels = row.channels(), pixels = row.pixels();
  vectors.resize(static_cast<std::size_t>(2 * channels * pixels));
  eigenvalues.resize(static_cast<std::size_t>(pixels));
  std::vector<float> scratch(static_cast<std::size_t>(power_iteration_scratch(channels)));
  run(PowerIteration{channels, pixels, row.real(0, 0), vectors.data(), eigenvalues.data(), scratch.data(),
                     static_cast<float>(least)});
}

}  // namespace larmor
