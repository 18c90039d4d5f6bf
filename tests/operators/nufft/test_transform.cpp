// Plan, set points, execute: every type, sign and order of modes compared with direct sums.
#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/operators/nufft/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::HasSubstr;

// The mode of index i on an axis of n.
double mode(Index i, Index n, ModeOrder order) {
  if (order == ModeOrder::centred) return static_cast<double>(i - n / 2);
  return static_cast<double>(i < n - n / 2 ? i : i - n);
}

D phase(const Shape& modes, ModeOrder order, Index pixel, const double* x, int sign) {
  double cycles = 0;
  for (int axis = modes.rank() - 1, a = 0; axis >= 0; --axis, ++a) {
    cycles += mode(pixel % modes[axis], modes[axis], order) * x[a];
    pixel /= modes[axis];
  }
  return std::polar(1.0, sign * 2 * std::numbers::pi * cycles);
}

template <typename T>
void expect_exact(const Shape& modes, double tolerance) {
  Context ctx(Device::cpu(), {.threads = 2});
  constexpr Index points = 40, batch = 3;
  const Index dims = modes.rank(), pixels = modes.size();
  const auto x = random_real({points, dims}, -0.5, 0.5, 1);
  const auto c = random_complex<T>({batch, points}, 2);
  const auto f = random_complex<T>(modes.prepend(batch), 3);
  for (const int sign : {-1, 1})
    for (const ModeOrder order : {ModeOrder::centred, ModeOrder::fft}) {
      const TransformOptions options{.tolerance = tolerance, .sign = sign, .order = order, .batch = batch};
      auto type1 = filled<D>(modes.prepend(batch), 0), type2 = filled<D>({batch, points}, 0);
      for (Index b = 0; b < batch; ++b)
        for (Index j = 0; j < points; ++j)
          for (Index n = 0; n < pixels; ++n) {
            const D turn = phase(modes, order, n, &x[j * dims], sign);
            type1[b * pixels + n] += D(c[b * points + j]) * turn;
            type2[b * points + j] += D(f[b * pixels + n]) * turn;
          }
      Transform<T> one(TransformType::points_to_modes, modes, options);
      one.set_points(x, ctx);
      Array<std::complex<T>> found1(modes.prepend(batch)), found2({batch, points});
      one.execute(c, found1, ctx);
      EXPECT_LE(relative_difference(found1, type1), tolerance) << modes.to_string() << sign;
      Transform<T> two(TransformType::modes_to_points, modes, options);
      two.set_points(x, ctx);
      two.execute(f, found2, ctx);
      EXPECT_LE(relative_difference(found2, type2), tolerance) << modes.to_string() << sign;
    }
}

TEST(Transform, EverySignAndOrderMeetsTheTolerance) {
  for (const Shape& modes : {Shape{12}, Shape{13}, Shape{6, 7}, Shape{4, 3, 5}}) {
    expect_exact<float>(modes, 1e-5);
    expect_exact<double>(modes, 1e-10);
  }
}

TEST(Transform, PointsToPointsWithBothSigns) {
  Context ctx(Device::cpu(), {.threads = 2});
  const auto x = random_real({30, 2}, 3, 5, 1), k = random_real({20, 2}, -4, 1, 2);
  const auto c = random_complex<double>({30}, 3);
  for (const int sign : {-1, 1}) {
    auto exact = filled<D>({20}, 0);
    for (Index j = 0; j < 20; ++j)
      for (Index i = 0; i < 30; ++i)
        exact[j] += c[i] * std::polar(1.0, sign * 2 * std::numbers::pi *
                                               (k[2 * j] * x[2 * i] + k[2 * j + 1] * x[2 * i + 1]));
    Transform<double> transform({.tolerance = 1e-9, .sign = sign});
    transform.set_points(x, k, ctx);
    Array<D> found({20});
    transform.execute(c, found, ctx);
    EXPECT_LE(relative_difference(found, exact), 1e-9);
  }
}

// <A u, v> = <u, Aᴴ v> for every type, sign and order.
TEST(Transform, ExecutesItsAdjoint) {
  Context ctx(Device::cpu(), {.threads = 2});
  constexpr Index points = 30, targets = 20, batch = 2;
  const Shape modes{6, 7};
  const auto x = random_real({points, 2}, -0.5, 0.5, 1), k = random_real({targets, 2}, -3, 3, 2);
  for (const int sign : {-1, 1})
    for (const ModeOrder order : {ModeOrder::centred, ModeOrder::fft})
      for (const int type : {1, 2, 3}) {
        const TransformOptions options{
            .tolerance = 1e-9, .sign = sign, .order = order, .batch = batch, .adjoint = true};
        Transform<double> transform =
            type == 3 ? Transform<double>(options)
                      : Transform<double>(static_cast<TransformType>(type), modes, options);
        type == 3 ? transform.set_points(x, k, ctx) : transform.set_points(x, ctx);
        const Index in = type == 2 ? modes.size() : points;
        const Index out = type == 1 ? modes.size() : type == 2 ? points : targets;
        const auto u = random_complex<double>({batch * in}, 3), v = random_complex<double>({batch * out}, 4);
        Array<D> Au({batch * out}), AHv({batch * in});
        transform.execute(u, Au, ctx);
        transform.execute_adjoint(v, AHv, ctx);
        D left = 0, right = 0;
        double scale = 0;
        for (Index i = 0; i < v.size(); ++i) left += std::conj(v[i]) * Au[i];
        for (Index i = 0; i < u.size(); ++i) right += std::conj(AHv[i]) * u[i];
        for (Index i = 0; i < v.size(); ++i) scale += std::norm(v[i]);
        EXPECT_LE(std::abs(left - right), 1e-10 * scale) << type << sign;
      }
}

TEST(Transform, PointsMayBeSetAgain) {
  Context ctx(Device::cpu(), {.threads = 1});
  Transform<double> transform(TransformType::modes_to_points, {8}, {.tolerance = 1e-9});
  const auto f = filled<D>({8}, 1);
  for (const double x : {0.0, 0.25}) {
    transform.set_points(filled<double>({2, 1}, x), ctx);
    Array<D> found({2});
    transform.execute(f, found, ctx);
    EXPECT_NEAR(std::abs(found[0]), x == 0 ? 8 : 0, 1e-7);
  }
}

// Columns in the transform's precision, with a scale, give the same bits as rows of the same points.
template <typename T>
void expect_columns_like_rows(int dims, int type, int sign) {
  Context ctx(Device::cpu(), {.threads = 2});
  constexpr Index points = 1003, others = 260;
  constexpr double scale = 0.5 / std::numbers::pi;
  std::vector<std::vector<T>> kept;
  const auto columns_and_rows = [&](Index count, double extent, Array<double>& rows) {
    const auto real = random_real({dims, count}, -extent, extent, count);
    rows = Array<double>({count, dims});
    PointColumns<T> columns{{}, count, dims, scale};
    for (int axis = 0; axis < dims; ++axis) {
      auto& column = kept.emplace_back();
      for (Index j = 0; j < count; ++j) {
        column.push_back(static_cast<T>(real[axis * count + j]));
        rows[j * dims + axis] = scale * static_cast<double>(column.back());
      }
      columns.axes[axis] = column.data();
    }
    return columns;
  };
  kept.reserve(6);
  Array<double> rows, far_rows;
  const auto columns = columns_and_rows(points, 4, rows), far = columns_and_rows(others, 50, far_rows);
  const Shape modes = dims == 1 ? Shape{20} : dims == 2 ? Shape{6, 20} : Shape{6, 7, 20};
  const TransformOptions options{.tolerance = 1e-4, .sign = sign};
  const auto made = [&] {
    return type == 3 ? Transform<T>(options) : Transform<T>(static_cast<TransformType>(type), modes, options);
  };
  auto expected = made(), found = made();
  if (type == 3) {
    expected.set_points(rows, far_rows, ctx);
    found.set_points(columns, far, ctx);
  } else {
    expected.set_points(rows, ctx);
    found.set_points(columns, ctx);
  }
  const Index there = type == 3 ? others : modes.size();
  const auto in = random_complex<T>({type == 2 ? there : points}, 4);
  Array<std::complex<T>> from_rows({type == 2 ? points : there}), from_columns(from_rows.shape());
  expected.execute(in, from_rows, ctx);
  found.execute(in, from_columns, ctx);
  EXPECT_EQ(std::memcmp(from_rows.data(), from_columns.data(), from_rows.view().bytes()), 0)
      << dims << " dimensions, type " << type << ", sign " << sign;
}

TEST(Transform, ColumnsAreLikeRows) {
  for (const int dims : {1, 2, 3})
    for (const int type : {1, 2, 3})
      for (const int sign : {-1, 1}) {
        expect_columns_like_rows<float>(dims, type, sign);
        expect_columns_like_rows<double>(dims, type, sign);
      }
}

TEST(Transform, ColumnsAreChecked) {
  Context ctx(Device::cpu(), {.threads = 1});
  std::vector<float> x(300, 0.25f), y = x;
  y[299] = std::nanf("");
  Transform<float> transform(TransformType::modes_to_points, {8, 8}, {.tolerance = 1e-3});
  EXPECT_THROW(transform.set_points(PointColumns<float>{{x.data(), y.data()}, 300, 2}, ctx), Error);
  EXPECT_NO_THROW(transform.set_points(PointColumns<float>{{x.data(), y.data()}, 299, 2}, ctx));
  EXPECT_THROW(transform.set_points(PointColumns<float>{{x.data()}, 300, 1}, ctx), Error);
}

TEST(Transform, ACopyKeepsItsPoints) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Shape modes{12, 10};
  const auto x = random_real({40, 2}, -0.5, 0.5, 1), other = random_real({40, 2}, -0.5, 0.5, 2);
  const auto f = random_complex<double>(modes, 3);
  Transform<double> first(TransformType::modes_to_points, modes, {});
  first.set_points(x, ctx);
  Transform<double> second = first;
  Array<D> expected({40}), kept({40}), different({40});
  first.execute(f, expected, ctx);
  second.set_points(other, ctx);
  first.execute(f, kept, ctx);
  second.execute(f, different, ctx);
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), expected.begin()));
  EXPECT_GT(relative_difference(different, expected), 0.1);
}

TEST(Transform, ErrorsSayWhatIsWrong) {
  Context ctx(Device::cpu(), {.threads = 1});
  Transform<double> transform(TransformType::modes_to_points, {8}, {});
  Array<D> f({8}), c({2});
  EXPECT_THAT(error_of([&] { transform.execute(f, c, ctx); }), HasSubstr("before set_points"));
  transform.set_points(filled<double>({3, 1}, 0.1), ctx);
  EXPECT_THAT(error_of([&] { transform.execute(f, c, ctx); }), HasSubstr("expected 8 and 3"));
  EXPECT_THAT(error_of([&] { Transform<double>({.sign = 2}); }), HasSubstr("expected -1 or 1"));
  EXPECT_THAT(error_of([&] {
                Transform<double>({}).set_points(filled<double>({3, 1}, 0.1), ctx);
              }),
              HasSubstr("points and frequencies"));
}

}  // namespace
}  // namespace larmor::test
