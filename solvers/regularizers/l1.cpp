#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>

namespace LARMOR_API larmor {

template <typename T>
Regularizer<T> l1(const ImageLayout& image, const L1Options& options) {
  const Index joint = options.joint ? image.frames() : 1;
  const GroupLayout groups{1, joint, image.shape.size() / joint};
  return {.name = "l1", .lambda = options.lambda, .function = std::make_shared<const GroupNorm<T>>(groups)};
}

template Regularizer<float> l1(const ImageLayout&, const L1Options&);
template Regularizer<double> l1(const ImageLayout&, const L1Options&);

}  // namespace larmor
