#include "solvers/proximal_checks.hpp"

#include <larmor/solvers/regularizers/proximal_maps.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

#include <limits>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using Value = ProximalReference::Value;

template <typename Case>
class Proximal : public OnDevice<Case> {};
TYPED_TEST_SUITE(Proximal, DeviceCases, CaseNames);

// Σ of the norms of groups, or the largest of them.
Value group_norms(const GroupLayout& groups, bool largest) {
  return [=](View<const D> z) {
    double sum = 0;
    for (Index o = 0; o < groups.outer; ++o)
      for (Index i = 0; i < groups.inner; ++i) {
        double squares = 0;
        for (Index j = 0; j < groups.joint; ++j)
          squares += std::norm(z[(o * groups.joint + j) * groups.inner + i]);
        sum = largest ? std::max(sum, std::sqrt(squares)) : sum + std::sqrt(squares);
      }
    return sum;
  };
}
ProximalReference norm_reference(const GroupLayout& groups) {
  return {group_norms(groups, false), group_norms(groups, true)};
}

TYPED_TEST(Proximal, L1ByHand) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  Array<C> z({4});
  z[0] = C(3, 4), z[1] = C(0, -1), z[2] = 0, z[3] = C(-2, 0);
  auto out = this->there(clone(z));
  const GroupNorm<T> l1(4);
  EXPECT_NEAR(l1.value(out, this->ctx()), 8, 1e-6);
  l1.apply(1, out, out, this->ctx());
  const auto p = fetched(out);
  const D expected[] = {{2.4, 3.2}, 0, 0, -1};
  for (Index i = 0; i < 4; ++i) EXPECT_LT(std::abs(D(p[i]) - expected[i]), 1e-6) << i;
}

TYPED_TEST(Proximal, NormsOverGroups) {
  using T = typename TypeParam::T;
  for (const GroupLayout& groups : {GroupLayout{1, 1, 7}, GroupLayout{1, 3, 4}, GroupLayout{2, 3, 5},
                                    GroupLayout{3, 1, 4}, GroupLayout{1, 6, 1}})
    check_proximal_map<T>(GroupNorm<T>(groups), norm_reference(groups),
                          {groups.outer, groups.joint, groups.inner}, this->ctx());
}

TYPED_TEST(Proximal, LongRows) {
  using T = typename TypeParam::T;
  const GroupLayout groups{1, 2, 9001};
  const GroupNorm<T> norm(groups);
  const auto z = this->random({2, 9001}, 1);
  auto out = this->random({2, 9001}, 2);
  norm.apply(0.7, z, out, this->ctx());
  const auto in = fetched(z), found = fetched(out);
  for (Index i = 0; i < 9001; ++i) {
    const double size = std::sqrt(std::norm(D(in[i])) + std::norm(D(in[9001 + i])));
    const double factor = std::max(0.0, 1 - 0.7 / size);
    for (const Index at : {i, 9001 + i}) ASSERT_LT(std::abs(D(found[at]) - factor * D(in[at])), 1e-5) << at;
  }
}

TYPED_TEST(Proximal, IndicatorsProject) {
  using T = typename TypeParam::T;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const bool positive : {false, true}) {
    const Value value = [=](View<const D> z) {
      for (const D& element : z)
        if (element.imag() != 0 || (positive && element.real() < 0)) return infinity;
      return 0.0;
    };
    const RealIndicator<T> indicator(6, positive);
    check_proximal_map<T>(indicator, {value}, {6}, this->ctx());
    // A projection: independent of the weight, and idempotent.
    const auto z = this->random({6}, 1);
    auto p = this->random({6}, 2), q = this->random({6}, 3);
    indicator.apply(0.1, z, p, this->ctx());
    indicator.apply(100, p, q, this->ctx());
    EXPECT_TRUE(same_bits(p, q));
    const auto in = fetched(z), out = fetched(p);
    for (Index i = 0; i < 6; ++i)
      EXPECT_EQ(out[i], std::complex<T>(positive ? std::max(in[i].real(), T(0)) : in[i].real(), 0));
  }
}

TYPED_TEST(Proximal, SeparableSum) {
  using T = typename TypeParam::T;
  const GroupLayout first{1, 2, 3}, second{1, 1, 4};
  const SeparableSum<T> sum({{6, 1.0, std::make_shared<const GroupNorm<T>>(first)},
                             {4, 2.5, std::make_shared<const GroupNorm<T>>(second)}});
  const auto part = [](View<const D> z, Index begin, Index size) {
    return View<const D>(z.data() + begin, {size});
  };
  const Value value = [=](View<const D> z) {
    return group_norms(first, false)(part(z, 0, 6)) + 2.5 * group_norms(second, false)(part(z, 6, 4));
  };
  const Value dual = [=](View<const D> z) {
    return std::max(group_norms(first, true)(part(z, 0, 6)), group_norms(second, true)(part(z, 6, 4)) / 2.5);
  };
  check_proximal_map<T>(sum, {value, dual}, {10}, this->ctx());
}

// The groups of wavelet coefficients, jointly over the slowest axis or not.
ProximalReference wavelet_reference(const ImageLayout& image, const WaveletL1Options& options) {
  const auto wavelet = std::make_shared<const Wavelet<double>>(
      image.shape, image.space,
      larmor::WaveletOptions{.vanishing_moments = options.vanishing_moments, .levels = options.levels});
  const Index joint = options.joint ? image.frames() : 1;
  const auto ctx = std::make_shared<Context>(Device::cpu(), ContextOptions{.threads = 1});
  const auto over_details = [=](View<const D> z, bool dual) {
    const auto c = wavelet->apply(z.reshaped(image.shape), *ctx);
    const auto& bands = wavelet->details();
    const Index inner = image.shape.size() / joint;
    double sum = 0;
    for (Index i = 0; i < inner; ++i) {
      const Index x = i % bands.extent[2], y = i / bands.extent[2] % bands.extent[1];
      const Index plane = i / bands.extent[2] / bands.extent[1] % bands.extent[0];
      const bool detail = bands.along(0, plane) || bands.along(1, y) || bands.along(2, x);
      double squares = 0;
      for (Index j = 0; j < joint; ++j) squares += std::norm(c[j * inner + i]);
      if (dual)  // no remainder for unpenalised values
        sum = std::max(sum, detail ? std::sqrt(squares) : squares > 1e-9 ? 1e9 : 0);
      else if (detail)
        sum += std::sqrt(squares);
    }
    return sum;
  };
  return {[=](View<const D> z) { return over_details(z, false); },
          [=](View<const D> z) { return over_details(z, true); }};
}

TYPED_TEST(Proximal, WaveletNorm) {
  using T = typename TypeParam::T;
  struct WaveletCase {
    ImageLayout image;
    WaveletL1Options options;
  };
  const WaveletCase cases[] = {{{{16}, 1}, {.vanishing_moments = 1, .levels = 3}},
                               {{{9, 12}, 2}, {.vanishing_moments = 2, .levels = 2}},
                               {{{3, 8, 6}, 2}, {.vanishing_moments = 2, .levels = 2}},
                               {{{3, 8, 6}, 2}, {.vanishing_moments = 2, .levels = 2, .joint = true}},
                               {{{2, 4, 6, 8}, 3}, {.vanishing_moments = 2, .joint = true}}};
  for (auto [image, options] : cases) {
    options.shifts = false;
    check_proximal_map<T>(WaveletNorm<T>(image, options), wavelet_reference(image, options), image.shape,
                          this->ctx());
  }
}

TYPED_TEST(Proximal, WaveletShiftsAreThoseOfAShiftedImage) {
  using T = typename TypeParam::T;
  const ImageLayout image{{2, 9, 12}, 2};
  const WaveletL1Options options{.vanishing_moments = 2, .levels = 2};
  auto fixed_options = options;
  fixed_options.shifts = false;
  const WaveletNorm<T> moving(image, options), fixed(image, fixed_options);
  const auto z = this->random(image.shape, 1);
  bool differs = false;
  for (Index iteration = 0; iteration < 4; ++iteration) {
    auto out = this->random(image.shape, 2);
    moving.apply(0.4, z, out, this->ctx(), iteration);
    // Compared with shifting the image by hand; levels 2: shifts below 4.
    const Index dy = drawn(iteration, 1, 4), dx = drawn(iteration, 2, 4);
    differs = differs || dy + dx > 0;
    const auto from = [&](Index i) {
      const Index x = i % 12, y = i / 12 % 9;
      return i - i % 108 + (y + dy) % 9 * 12 + (x + dx) % 12;
    };
    const auto in = fetched(z);
    Array<std::complex<T>> moved(image.shape), back(image.shape);
    for (Index i = 0; i < in.size(); ++i) moved[i] = in[from(i)];
    auto shrunk = this->there(std::move(moved));
    fixed.apply(0.4, shrunk, shrunk, this->ctx());
    const auto values = fetched(shrunk);
    for (Index i = 0; i < in.size(); ++i) back[from(i)] = values[i];
    EXPECT_LT(relative_difference(out, back), sizeof(T) == 4 ? 1e-6 : 1e-14) << iteration;
  }
  EXPECT_TRUE(differs);
}

TEST(Proximal, ASearchFindsTheSamePoint) {
  Context ctx(Device::cpu(), {.threads = 1});
  for (const GroupLayout& groups : {GroupLayout{1, 1, 2}, GroupLayout{1, 2, 1}, GroupLayout{1, 3, 1}}) {
    const GroupNorm<double> norm(groups);
    const Shape shape{groups.joint * groups.inner};
    const auto z = random_complex<double>(shape, 4);
    Array<D> p(shape);
    norm.apply(0.6, z, p, ctx);
    EXPECT_LT(relative_difference(searched_minimiser(group_norms(groups, false), 0.6, z), p), 1e-3);
  }
}

TEST(Proximal, ShiftsAreSpreadEvenly) {
  for (const Index bound : {2, 4, 16})
    for (const Index first : {Index{0}, 3 * bound * bound}) {
      std::vector<int> counts(static_cast<std::size_t>(bound * bound));
      for (Index i = first; i < first + bound * bound; ++i)
        ++counts[static_cast<std::size_t>(drawn(i, 1, 16) % bound * bound + drawn(i, 2, 16) % bound)];
      for (const int count : counts) EXPECT_EQ(count, 1) << bound << " from " << first;
    }
  std::vector<int> corners(8);
  for (Index i = 0; i < 8; ++i)
    ++corners[static_cast<std::size_t>(drawn(i, 0, 2) * 4 + drawn(i, 1, 2) * 2 + drawn(i, 2, 2))];
  for (const int count : corners) EXPECT_EQ(count, 1);
}

TEST(Proximal, DrawnNumbersCoverTheirRange) {
  for (const Index bound : {1, 2, 16}) {
    std::vector<int> counts(static_cast<std::size_t>(bound));
    for (Index iteration = 0; iteration < 1600; ++iteration)
      for (int axis = 0; axis < 3; ++axis) {
        const Index number = drawn(iteration, axis, bound);
        ASSERT_TRUE(number >= 0 && number < bound);
        ++counts[static_cast<std::size_t>(number)];
      }
    for (const int count : counts)
      EXPECT_NEAR(count, 4800.0 / static_cast<double>(bound), 1500.0 / static_cast<double>(bound) + 1);
  }
}

}  // namespace
}  // namespace larmor::test
