// FINUFFT's names: results equal Transform's, error codes are FINUFFT's.
#include "random_arrays.hpp"

#include <larmor/capi/finufft/finufft.h>
#include <larmor/operators/nufft/transform.hpp>

#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;

TEST(Finufft, ResultsAreThoseOfTransform) {
  constexpr Index points = 500, ny = 11, nx = 12, batch = 2;
  const auto k = random_real({points, 2}, -0.5, 0.5, 1);
  const auto c = random_complex<double>({batch, points}, 2);
  Array<double> x({points}), y({points});
  for (Index j = 0; j < points; ++j) {
    x[j] = k[2 * j] * 2 * std::numbers::pi;
    y[j] = k[2 * j + 1] * 2 * std::numbers::pi;
  }
  Array<double> wrapped({points, 2});
  for (Index j = 0; j < points; ++j) {
    wrapped[2 * j] = x[j] * (1 / (2 * std::numbers::pi));
    wrapped[2 * j + 1] = y[j] * (1 / (2 * std::numbers::pi));
  }
  Context ctx(Device::cpu(), {.threads = 2});
  finufft_opts options;
  finufft_default_opts(&options);
  options.nthreads = 2;
  for (const int modeord : {0, 1})
    for (const int iflag : {-1, 1}) {
      Transform<double> ours(TransformType::points_to_modes, {ny, nx},
                             {.tolerance = 1e-8,
                              .sign = iflag,
                              .order = modeord == 1 ? ModeOrder::fft : ModeOrder::centred,
                              .batch = batch});
      ours.set_points(wrapped, ctx);
      Array<D> expected({batch, ny, nx}), found({batch, ny, nx});
      ours.execute(c, expected, ctx);
      options.modeord = modeord;
      ASSERT_EQ(finufft2d1many(batch, points, x.data(), y.data(), c.data(), iflag, 1e-8, nx, ny, found.data(),
                               &options),
                0);
      EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << modeord << iflag;
    }
}

TEST(Finufft, PlansGoBothWays) {
  constexpr Index points = 300, modes = 40;
  const auto x = random_real({points}, -3, 3, 1);
  auto c = random_complex<double>({points}, 2), f = random_complex<double>({modes}, 3);
  for (const int type : {1, 2}) {
    finufft_plan plan = nullptr;
    const std::int64_t n[1] = {modes};
    ASSERT_EQ(finufft_makeplan(type, 1, n, 1, 1, 1e-9, &plan, nullptr), 0);
    EXPECT_EQ(finufft_execute(plan, c.data(), f.data()), 16);  // without points
    ASSERT_EQ(finufft_setpts(plan, points, x.data(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), 0);
    Array<D> there(type == 1 ? Shape{modes} : Shape{points}), back(type == 1 ? Shape{points} : Shape{modes});
    const bool to_modes = type == 1;
    ASSERT_EQ(finufft_execute(plan, to_modes ? c.data() : there.data(), to_modes ? there.data() : f.data()),
              0);
    ASSERT_EQ(finufft_execute_adjoint(plan, to_modes ? back.data() : there.data(),
                                      to_modes ? there.data() : back.data()),
              0);
    const auto& in = to_modes ? c : f;
    D left = 0, right = 0;
    for (const D value : there) left += std::norm(value);
    for (Index i = 0; i < in.size(); ++i) right += std::conj(back[i]) * in[i];
    EXPECT_LE(std::abs(left - right), 1e-9 * std::abs(left));
    EXPECT_EQ(finufft_destroy(plan), 0);
  }
  EXPECT_EQ(finufft_destroy(nullptr), 1);
}

// Down to the smallest documented tolerance, with FINUFFT's oversamplings.
TEST(Finufft, TolerancesAreKept) {
  constexpr Index points = 200, modes = 50;
  const auto x = random_real({points}, -3, 3, 1);
  const auto c = random_complex<double>({points}, 2);
  Array<std::complex<long double>> exact({modes});
  for (Index m = 0; m < modes; ++m) {
    exact[m] = 0;
    for (Index j = 0; j < points; ++j)
      exact[m] += std::complex<long double>(c[j]) *
                  std::polar(1.0L, static_cast<long double>(m - modes / 2) * static_cast<long double>(x[j]));
  }
  finufft_opts options;
  finufft_default_opts(&options);
  for (const double sigma : {0.0, 2.0})
    for (const double tolerance : {1e-4, 1e-8, 1e-12, 1e-14}) {
      options.upsampfac = sigma;
      Array<D> f({modes});
      ASSERT_EQ(finufft1d1(points, x.data(), c.data(), 1, tolerance, modes, f.data(), &options), 0)
          << tolerance;
      EXPECT_LE(relative_difference(f, exact), std::max(4 * tolerance, 3e-14)) << tolerance << ' ' << sigma;
    }
}

// An unreachable tolerance is a warning: the best possible result is computed, both by a single call and by a
// plan.
TEST(Finufft, OneCallComputesWhatItWarnsOf) {
  constexpr Index points = 1000, targets = 100;
  const auto at = random_real({3, points}, -3, 3, 1), to = random_real({3, targets}, -20, 20, 2);
  const auto c = random_complex<double>({points}, 3);
  Array<D> exact({targets}), f({targets});
  for (Index k = 0; k < targets; ++k) {
    exact[k] = 0;
    f[k] = 7;
    for (Index j = 0; j < points; ++j) {
      double phase = 0;
      for (Index a = 0; a < 3; ++a) phase += at[a * points + j] * to[a * targets + k];
      exact[k] += c[j] * std::polar(1.0, phase);
    }
  }
  const auto axis = [](const Array<double>& all, Index a) { return all.data() + a * (all.size() / 3); };
  EXPECT_EQ(finufft3d3(points, axis(at, 0), axis(at, 1), axis(at, 2), c.data(), 1, 1e-14, targets,
                       axis(to, 0), axis(to, 1), axis(to, 2), f.data(), nullptr),
            1);
  EXPECT_LE(relative_difference(f, exact), 1e-11);
}

TEST(Finufft, CodesAreFinuffts) {
  const std::int64_t n[3] = {4, 4, 4};
  finufft_plan plan = nullptr;
  finufft_opts options;
  const auto made = [&](int type, int dim, int count, double tolerance) {
    const int code = finufft_makeplan(type, dim, n, 1, count, tolerance, &plan, &options);
    if (plan != nullptr) finufft_destroy(plan);
    return code;
  };
  finufft_default_opts(&options);
  EXPECT_EQ(made(1, 2, 1, 1e-6), 0);
  EXPECT_EQ(made(1, 2, 1, 0), 1);
  EXPECT_EQ(made(4, 2, 1, 1e-6), 10);
  EXPECT_EQ(made(1, 4, 1, 1e-6), 12);
  EXPECT_EQ(made(1, 2, 0, 1e-6), 9);
  const auto with = [&](auto change) {
    finufft_default_opts(&options);
    change(options);
    return made(1, 2, 1, 1e-6);
  };
  EXPECT_EQ(with([](finufft_opts& o) { o.spreadinterponly = 1; }), 21);
  EXPECT_EQ(with([](finufft_opts& o) { o.nthreads = -1; }), 23);
  EXPECT_EQ(with([](finufft_opts& o) { o.spread_thread = 9; }), 13);
  EXPECT_EQ(with([](finufft_opts& o) { o.upsampfac = 0.9; }), 7);
  EXPECT_EQ(with([](finufft_opts& o) { o.fftw_lock_fun = [](void*) {}; }), 22);

  double x = 0.1;
  const double nan = std::nan("");
  D c = 1, f[4] = {7, 7, 7, 7};
  EXPECT_EQ(finufft1d1(-1, &x, &c, 1, 1e-6, 4, f, nullptr), 20);
  EXPECT_EQ(finufft1d1(std::int64_t{200000000000000}, &x, &c, 1, 1e-6, 4, f, nullptr), 20);
  EXPECT_EQ(finufft1d1(1, &nan, &c, 1, 1e-6, 4, f, nullptr), 21);
  EXPECT_EQ(finufft1d1(1, &x, &c, 1, 1e-6, 4, nullptr, nullptr), 21);
  EXPECT_EQ(finufft1d1(1, &x, &c, 1, 1e-6, std::int64_t{1000000000000}, f, nullptr), 2);
  EXPECT_EQ(finufft1d1(0, &x, &c, 1, 1e-6, 4, f, nullptr), 0);  // an empty sum
  for (const D value : f) EXPECT_EQ(value, D(0));
}

}  // namespace
}  // namespace larmor::test
