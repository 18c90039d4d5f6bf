// Several slices at a time: the model against exact sums.
#include "device_cases.hpp"
#include "error_of.hpp"
#include "mri/exact_samples.hpp"

#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/model/series.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::HasSubstr;
using testing::Not;

constexpr Index bands = 3, coils = 4, samples = 200;
const Shape image{11, 12};

// Arbitrary phases, not only steps of CAIPIRINHA.
Array<D> factors() {
  const auto phases = random_real({samples, bands}, 0, 2 * std::numbers::pi, 7);
  Array<D> result(phases.shape());
  for (Index i = 0; i < result.size(); ++i) result[i] = std::polar(1.0, phases[i]);
  return result;
}

// Σ_b φ_b F m_b x_b in double.
Array<D> exact(View<const D> x, View<const D> maps, View<const D> phases, View<const double> trajectory) {
  Context cpu(Device::cpu(), {.threads = 2});
  const auto none = filled<float>(image, 0);
  const auto times = filled<double>({samples}, 0);
  auto sum = filled<D>({coils, samples}, 0);
  for (Index b = 0; b < bands; ++b) {
    const auto one = exact_samples(x.slice(b), maps.slice(b), {none, {}, {}}, trajectory, times, cpu);
    for (Index i = 0; i < sum.size(); ++i)
      sum[i] += one[i] * phases[i % samples * bands + b] / std::sqrt(static_cast<double>(image.size()));
  }
  return sum;
}

template <typename Case>
class Bands : public OnDevice<Case> {};
TYPED_TEST_SUITE(Bands, FloatCases, CaseNames);

TYPED_TEST(Bands, AreASumWithPhases) {
  Context& ctx = this->ctx();
  const auto trajectory = random_real({samples, 2}, -0.5, 0.5, 1);
  const auto maps = random_complex<float>(image.prepend(coils).prepend(bands), 2);
  const auto phases = factors();
  const auto model = multiband_model<float>(trajectory, phases, maps, {.tolerance = 1e-5}, ctx);
  ASSERT_EQ(model.domain(), image.prepend(bands));
  ASSERT_EQ(model.codomain(), (Shape{coils, samples}));
  const auto x = random_complex<float>(model.domain(), 3), y = random_complex<float>(model.codomain(), 4);
  const auto Ax = fetched(model.apply(this->there(clone(x)), ctx));
  const auto expected = exact(converted<D>(x.view()), converted<D>(maps.view()), phases, trajectory);
  EXPECT_LT(relative_difference(Ax, converted<std::complex<float>>(expected.view())), 2e-5);
  const auto Ay = fetched(model.adjoint(this->there(clone(y)), ctx));
  D left = 0, right = 0;
  for (Index i = 0; i < y.size(); ++i) left += std::conj(D(y[i])) * D(Ax[i]);
  for (Index i = 0; i < x.size(); ++i) right += std::conj(D(Ay[i])) * D(x[i]);
  EXPECT_LT(std::abs(left - right), 1e-5 * std::abs(left) + 1e-3);
  const auto normal = model.normal(ctx);
  EXPECT_THAT(describe(normal), HasSubstr("Toeplitz"));
  EXPECT_THAT(describe(normal), Not(HasSubstr("Nufft")));
  const auto twice = fetched(model.adjoint(model.apply(this->there(clone(x)), ctx), ctx));
  EXPECT_LT(relative_difference(fetched(normal.apply(this->there(clone(x)), ctx)), twice), 1e-4);
}

TYPED_TEST(Bands, OfFramesAndInCoilBlocks) {
  Context& ctx = this->ctx();
  const auto maps = random_complex<float>(image.prepend(coils).prepend(bands), 2);
  std::vector<CoilMaps<float>> sets;
  for (Index b = 0; b < bands; ++b) sets.emplace_back(this->there(clone(maps.view().slice(b))));
  const auto frames = [&] {
    std::vector<PreparedImage> two(2);
    for (unsigned f = 0; f < 2; ++f) {
      two[f].trajectory = random_real({samples, 2}, -0.5, 0.5, 10 + f);
      two[f].samples = random_complex<float>({coils, samples}, 20 + f);
      two[f].bands = factors();
    }
    return two;
  };
  SeriesOptions options;
  options.nufft.tolerance = 1e-5;
  const auto whole = series_problem<float>(frames(), {2}, image, sets, options, ctx);
  ASSERT_EQ(whole.model->domain(), image.prepend(bands).prepend(2));
  const auto x = random_complex<float>(whole.model->domain(), 3);
  const auto y = fetched(whole.model->apply(this->there(clone(x)), ctx));
  const auto phases = factors();
  for (Index f = 0; f < 2; ++f) {
    const auto expected = exact(converted<D>(x.view().slice(f)), converted<D>(maps.view()), phases,
                                frames()[static_cast<std::size_t>(f)].trajectory);
    const auto found = clone(y.view().reshaped({2, coils, samples}).slice(f));
    EXPECT_LT(relative_difference(found, converted<std::complex<float>>(expected.view())), 2e-5) << f;
  }
  options.coil_block = 2;
  const auto blocks = series_problem<float>(frames(), {2}, image, sets, options, ctx);
  const auto same = fetched(blocks.model->apply(this->there(clone(x)), ctx));
  EXPECT_LT(
      relative_difference(clone(same.view().reshaped({same.size()})), clone(y.view().reshaped({y.size()}))),
      1e-6);
  sets.pop_back();
  EXPECT_THROW(series_problem<float>(frames(), {2}, image, sets, options, ctx), Error);
}

}  // namespace
}  // namespace larmor::test
