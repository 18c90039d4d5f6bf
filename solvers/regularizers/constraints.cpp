#include <larmor/solvers/regularizers/constraints.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>

namespace LARMOR_API larmor {
namespace {

template <typename T>
Regularizer<T> constraint(const char* name, const ImageLayout& image, bool positive) {
  return {.name = name,
          .lambda = 1,
          .function = std::make_shared<const RealIndicator<T>>(image.shape.size(), positive)};
}

}  // namespace

template <typename T>
Regularizer<T> real_valued(const ImageLayout& image) {
  return constraint<T>("real", image, false);
}
template <typename T>
Regularizer<T> positivity(const ImageLayout& image) {
  return constraint<T>("positivity", image, true);
}

#define LARMOR_INSTANTIATE(T)                              \
  template Regularizer<T> real_valued(const ImageLayout&); \
  template Regularizer<T> positivity(const ImageLayout&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
