#include <larmor/larmor.hpp>

#include <complex>
#include <vector>

namespace larmor::test {
namespace {

struct Doubled {
  static constexpr const char* name = "doubled";
  float* values;
  LARMOR_HOST_DEVICE void operator()(Index i) const { values[i] *= 2; }
};

}  // namespace

void double_all(View<float> values, Context& ctx) {
  for_each(ctx, values.size(), Doubled{values.data()});
}

Array<std::complex<float>> applied_to_vector(const LinearOperator<float>& a,
                                             const std::vector<std::complex<float>>& x, Context& ctx) {
  return a.apply(View<const std::complex<float>>(x, a.domain()), ctx);
}

}  // namespace larmor::test
