// Long transforms in one dimension, split into short ones: compared with direct sums, on grids with and
// without a remainder of lines.
#include "random_arrays.hpp"

#include <larmor/core/error.hpp>
#include <larmor/operators/nufft/grid/long_line.hpp>
#include <larmor/operators/nufft/transform.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename T>
class LongLines : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LongLines, Precisions, );

constexpr Index grids[] = {Index{1} << 15, 36000,
                           40320};  // 181 is not a divisor; 180 · 200 and 192 · 210 lines

// One pixel has a closed form: e^{−2πi j (p − N/2)/n}.
TYPED_TEST(LongLines, OnePixelIsAWave) {
  using T = TypeParam;
  Context ctx(Device::cpu(), {.threads = 2});
  for (const Index grid : grids)
    for (const Index image : {grid / 2, grid / 3 + 1}) {
      ASSERT_TRUE(nufft::LongLine<T>::wanted(grid));
      const nufft::LongLine<T> line(image, grid);
      Array<std::complex<T>> cells({grid}), buffers({2, line.buffer_size()});
      const auto factors = filled<T>({image}, 2);
      for (const Index pixel : {Index{0}, image / 2, image - 1}) {
        auto x = filled<std::complex<T>>({image}, 0);
        x[pixel] = {1, -1};
        line.to_grid(x.data(), factors.data(), T(0.5), cells.data(), buffers, ctx);
        Array<D> exact({grid});
        for (Index j = 0; j < grid; ++j) {
          const double turns = std::fmod(static_cast<double>(j) * static_cast<double>(pixel - image / 2),
                                         static_cast<double>(grid)) /
                               static_cast<double>(grid);
          exact[j] = D(1, -1) * std::polar(1.0, -2 * std::numbers::pi * turns);
        }
        EXPECT_LT(relative_difference(cells, exact), sizeof(T) == 4 ? 1e-6 : 1e-13) << grid << " " << pixel;
      }
    }
}

// One cell, or cells of one column, among columns of zeros.
TYPED_TEST(LongLines, BackFromFewCellsIsASumOfWaves) {
  using T = TypeParam;
  Context ctx(Device::cpu(), {.threads = 2});
  for (const Index grid : grids) {
    const Index image = grid / 2 + 1;
    const nufft::LongLine<T> line(image, grid);
    Array<std::complex<T>> found({image}), buffers({2, line.buffer_size()});
    const auto factors = filled<T>({image}, 2);
    for (const Index cell : {Index{0}, Index{7}, grid / 3, grid - 1}) {
      auto cells = filled<std::complex<T>>({grid}, 0);
      cells[cell] = {1, -1};
      cells[(cell + 9) % grid] = {0, 2};
      line.to_image(cells.data(), factors.data(), T(0.5), found.data(), false, buffers, ctx);
      Array<D> exact({image});
      for (Index p = 0; p < image; ++p) {
        const auto wave = [&](Index j) {
          const double turns = std::fmod(static_cast<double>(j) * static_cast<double>(p - image / 2),
                                         static_cast<double>(grid)) /
                               static_cast<double>(grid);
          return std::polar(1.0, 2 * std::numbers::pi * turns);
        };
        exact[p] = D(1, -1) * wave(cell) + D(0, 2) * wave((cell + 9) % grid);
      }
      EXPECT_LT(relative_difference(found, exact), sizeof(T) == 4 ? 1e-6 : 1e-13) << grid << " " << cell;
    }
  }
}

TYPED_TEST(LongLines, BackIsTheAdjointOfForth) {
  using T = TypeParam;
  using C = std::complex<T>;
  Context ctx(Device::cpu(), {.threads = 2});
  const Index grid = 36000, image = 20001;
  const nufft::LongLine<T> line(image, grid);
  Array<C> buffers({2, line.buffer_size()}), there({grid}), back({image});
  Array<T> factors({image});
  for (Index i = 0; i < image; ++i) factors[i] = static_cast<T>(1 + 0.1 * std::sin(static_cast<double>(i)));
  const auto x = random_complex<T>({image}, 1), y = random_complex<T>({grid}, 2);
  line.to_grid(x.data(), factors.data(), T(0.3), there.data(), buffers, ctx);
  auto work = random_complex<T>({grid}, 2);
  line.to_image(work.data(), factors.data(), T(0.3), back.data(), false, buffers, ctx);
  D left = 0, right = 0;
  for (Index j = 0; j < grid; ++j) left += std::conj(D(y[j])) * D(there[j]);
  for (Index i = 0; i < image; ++i) right += std::conj(D(back[i])) * D(x[i]);
  EXPECT_LT(std::abs(left - right), (sizeof(T) == 4 ? 1e-4 : 1e-11) * std::abs(left));

  // Added to existing values, with the same bits for any number of threads.
  Context alone(Device::cpu(), {.threads = 1});
  auto twice = random_complex<T>({image}, 3);
  const auto before = random_complex<T>({image}, 3);
  work = random_complex<T>({grid}, 2);
  line.to_image(work.data(), factors.data(), T(0.3), twice.data(), true, buffers, alone);
  for (Index i = 0; i < image; ++i) ASSERT_EQ(twice[i], before[i] + back[i]) << i;
}

// The whole transform in both directions, for any real point positions.
TYPED_TEST(LongLines, TransformsMeetTheTolerance) {
  using T = TypeParam;
  using C = std::complex<T>;
  Context ctx(Device::cpu(), {.threads = 2});
  const Index n = 30000, points = 60;
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-11;
  auto k = random_real({points, 1}, -0.5, 0.5, 1);
  for (Index j = 0; j < points; j += 3)
    k[j] = std::ldexp(std::round(std::ldexp(k[j], 20)), -20) + 1024 * 1024;
  k[7] = 0x1p31 + 0.25;  // beyond the range of fast rounding
  const auto c = random_complex<T>({1, points}, 2), f = random_complex<T>({1, n}, 3);
  auto type1 = filled<D>({1, n}, 0), type2 = filled<D>({1, points}, 0);
  for (Index j = 0; j < points; ++j)
    for (Index i = 0; i < n; ++i) {
      const double turn = std::remainder(k[j], 1.0);
      const D phase = std::polar(1.0, -2 * std::numbers::pi * turn * static_cast<double>(i - n / 2));
      type1[i] += D(c[j]) * std::conj(phase);
      type2[j] += D(f[i]) * phase;
    }
  Array<C> found1({1, n}), found2({1, points});
  Transform<T> one(TransformType::points_to_modes, {n}, {.tolerance = tolerance, .sign = 1});
  one.set_points(k, ctx);
  one.execute(c, found1, ctx);
  EXPECT_LE(relative_difference(found1, type1), tolerance);
  Transform<T> two(TransformType::modes_to_points, {n}, {.tolerance = tolerance});
  two.set_points(k, ctx);
  two.execute(f, found2, ctx);
  EXPECT_LE(relative_difference(found2, type2), tolerance);
  EXPECT_GT(one.oversampling() * static_cast<double>(n), 32767);
  EXPECT_GE(two.kernel_width(), 3);

  k[41] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(two.set_points(k, ctx), Error);
}

}  // namespace
}  // namespace larmor::test
