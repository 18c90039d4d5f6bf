// The transforms used by regularisers, under the operator contract and for cases computed by hand.
#include "device_cases.hpp"
#include "operators/operator_contract.hpp"

#include <larmor/operators/transforms/axis_matrix.hpp>
#include <larmor/operators/transforms/blocks.hpp>
#include <larmor/operators/transforms/daubechies.hpp>
#include <larmor/operators/transforms/gradient.hpp>
#include <larmor/operators/transforms/wavelet.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::IsEmpty;

template <typename Case>
class Transforms : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  using Complex = std::complex<Scalar>;
  using Reference = std::function<Array<D>(View<const D>)>;

  static std::vector<std::string> violations(const LinearOperator<Scalar>& A, Reference reference) {
    ContractOptions<Scalar> options;
    options.device = Case::device();
    options.reference = std::move(reference);
    return contract_violations<Scalar>(A, options);
  }
  // The given values, on the device.
  static Array<Complex> values(const Shape& shape, const std::vector<double>& list) {
    Array<Complex> array(shape);
    for (Index i = 0; i < array.size(); ++i)
      array[i] = Complex(static_cast<Scalar>(list[static_cast<std::size_t>(i)]));
    return Transforms::there(std::move(array));
  }
};
TYPED_TEST_SUITE(Transforms, DeviceCases, CaseNames);

// The index along `axis` of element i, and the distance to the neighbour there.
struct AlongAxis {
  AlongAxis(const Shape& shape, int axis) : extent(shape[axis]), stride(shape.drop_front(axis + 1).size()) {}
  Index at(Index i) const { return i / stride % extent; }
  Index extent, stride;
};

Array<D> naive_gradient(View<const D> x, const Shape& shape, const std::vector<int>& axes) {
  auto y = filled<D>(shape.prepend(static_cast<Index>(axes.size())), 0);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const AlongAxis along(shape, axes[k]);
    for (Index i = 0; i < shape.size(); ++i)
      if (along.at(i) + 1 < along.extent)
        y[static_cast<Index>(k) * shape.size() + i] = x[i + along.stride] - x[i];
  }
  return y;
}

Array<D> naive_symmetrized(View<const D> v, const Shape& shape, const std::vector<int>& axes) {
  const Index d = static_cast<Index>(axes.size()), n = shape.size();
  const auto backward = [&](Index a, Index b, Index i) {
    const AlongAxis along(shape, axes[static_cast<std::size_t>(a)]);
    return along.at(i) > 0 ? v[b * n + i] - v[b * n + i - along.stride] : D(0);
  };
  Array<D> y(shape.prepend(d * (d + 1) / 2));
  Index component = 0;
  for (Index a = 0; a < d; ++a)
    for (Index b = a; b < d; ++b, ++component)
      for (Index i = 0; i < n; ++i)
        y[component * n + i] =
            a == b ? backward(a, a, i) : (backward(a, b, i) + backward(b, a, i)) / std::sqrt(2.0);
  return y;
}

struct AxesCase {
  Shape shape;
  std::vector<int> axes;
};
const AxesCase axes_cases[] = {{{7}, {0}},          {{3, 4}, {0, 1}},       {{2, 3, 4}, {0}},
                               {{3, 2, 4}, {1, 2}}, {{2, 3, 4}, {2, 0, 1}}, {{5, 1}, {0, 1}}};

TYPED_TEST(Transforms, Gradient) {
  using T = typename TypeParam::T;
  for (const auto& [shape, axes] : axes_cases)
    EXPECT_THAT(this->violations(Gradient<T>(shape, axes),
                                 [&](View<const D> x) { return naive_gradient(x, shape, axes); }),
                IsEmpty())
        << shape.to_string();
  const auto y =
      fetched(Gradient<T>({2, 3}, {0, 1}).apply(this->values({2, 3}, {1, 2, 4, 3, 3, 0}), this->ctx()));
  const double expected[] = {2, 1, -4, 0, 0, 0, 1, 2, 0, 0, -3, 0};
  for (Index i = 0; i < 12; ++i) EXPECT_EQ(D(y[i]), D(expected[i])) << i;
}

TYPED_TEST(Transforms, TgvDifferences) {
  using T = typename TypeParam::T;
  for (const auto& [shape, axes] : axes_cases) {
    const Index d = static_cast<Index>(axes.size()), n = shape.size();
    const auto reference = [&, d, n](View<const D> u) {
      const View<const D> v(u.data() + n, shape.prepend(d));
      const auto gradient = naive_gradient(View<const D>(u.data(), shape), shape, axes);
      const auto second = naive_symmetrized(v, shape, axes);
      Array<D> y({(d + d * (d + 1) / 2) * n});
      for (Index k = 0; k < d; ++k) {
        const AlongAxis along(shape, axes[static_cast<std::size_t>(k)]);
        for (Index i = 0; i < n; ++i)
          y[k * n + i] = along.at(i) + 1 < along.extent ? gradient[k * n + i] - v[k * n + i] : D(0);
      }
      std::copy(second.begin(), second.end(), y.begin() + d * n);
      return y;
    };
    EXPECT_THAT(this->violations(TgvDifferences<T>(shape, axes), reference), IsEmpty()) << shape.to_string();
  }
}

TYPED_TEST(Transforms, TgvDifferencesOfAnAffineImageWithItsSlopeAreZero) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  Array<C> u({3 * 20});
  for (Index row = 0; row < 4; ++row)
    for (Index column = 0; column < 5; ++column) {
      const Index i = row * 5 + column;
      u[i] = C(T(2 * row - 3 * column + 1), T(row));
      u[20 + i] = C(2, 1);
      u[40 + i] = C(-3, 0);
    }
  const auto y = TgvDifferences<T>({4, 5}, {0, 1}).apply(this->there(std::move(u)), this->ctx());
  EXPECT_EQ(max_magnitude<T>(y, this->ctx()), 0);
}

// One level along the lines of one axis, by definition.
void naive_level(Array<D>& x, const Shape& shape, const Shape& box, int axis, std::span<const double> h) {
  const Index taps = static_cast<Index>(h.size()), half = box[axis] / 2;
  const AlongAxis along(shape, axis);
  const auto source = clone(x);
  for (Index i = 0; i < shape.size(); ++i) {
    bool first = along.at(i) == 0;
    for (int a = 0; a < shape.rank(); ++a) first = first && AlongAxis(shape, a).at(i) < box[a];
    if (!first) continue;
    for (Index k = 0; k < half; ++k) {
      D low = 0, high = 0;
      for (Index j = 0; j < taps; ++j) {
        const D value = source[i + (2 * k + j) % (2 * half) * along.stride];
        low += h[static_cast<std::size_t>(j)] * value;
        high += (j % 2 == 0 ? 1.0 : -1.0) * h[static_cast<std::size_t>(taps - 1 - j)] * value;
      }
      x[i + k * along.stride] = low;
      x[i + (half + k) * along.stride] = high;
    }
  }
}

Array<D> naive_wavelet(View<const D> image, const Shape& shape, int space, const WaveletOptions& options) {
  const auto h = daubechies_filter(options.vanishing_moments);
  auto x = clone(image);
  Shape box = shape;
  for (int level = 0; level < options.levels; ++level) {
    Shape next = box;
    for (int axis = shape.rank() - 1; axis >= shape.rank() - space; --axis)
      if (box[axis] >= static_cast<Index>(h.size())) {
        naive_level(x, shape, box, axis, h);
        next[axis] = box[axis] / 2;
      }
    box = next;
  }
  return x;
}

TYPED_TEST(Transforms, Wavelet) {
  using T = typename TypeParam::T;
  struct WaveletCase {
    Shape shape;
    int space;
    WaveletOptions options;
    int levels;
  };
  const WaveletCase cases[] = {
      {{16}, 1, {1, 9}, 4},        {{21}, 1, {2, 2}, 2},      {{3, 12}, 1, {3, 1}, 1},
      {{12, 9}, 2, {2, 3}, 2},     {{5, 8, 8}, 2, {4, 2}, 1}, {{2, 4, 6, 5}, 3, {2, 2}, 1},
      {{8, 10, 12}, 3, {1, 3}, 3}, {{20, 24}, 2, {10, 4}, 1}, {{3, 3}, 2, {4, 4}, 0}};
  for (const auto& [shape, space, options, levels] : cases) {
    const Wavelet<T> wavelet(shape, space, options);
    EXPECT_EQ(wavelet.levels(), levels) << shape.to_string();
    const auto reference = [&, space = space](View<const D> x) {
      return naive_wavelet(x, shape, space, options);
    };
    EXPECT_THAT(this->violations(wavelet, reference), IsEmpty()) << shape.to_string();
    // Square and orthogonal: the adjoint is the inverse on both sides.
    const auto y = this->random(shape, 5);
    EXPECT_LT(relative_difference(wavelet.apply(wavelet.adjoint(y, this->ctx()), this->ctx()), y),
              sizeof(T) == 4 ? 2e-6 : 1e-14)
        << shape.to_string();
  }
}

TYPED_TEST(Transforms, HaarByHand) {
  using T = typename TypeParam::T;
  // Two levels of a line of seven: pairs, with the last value unchanged, then the pair among the three low
  // values.
  const Wavelet<T> haar({7}, 1, {1, 2});
  const auto y = fetched(haar.apply(this->values({7}, {1, 3, 5, 5, 2, 0, 9}), this->ctx()));
  const double root = std::sqrt(2.0), expected[] = {7, -3, root, -root, 0, root, 9};
  for (Index i = 0; i < 7; ++i) EXPECT_LT(std::abs(D(y[i]) - expected[i]), 1e-5) << i;
  for (Index i = 0; i < 7; ++i) EXPECT_EQ(haar.details().along(2, i), i == 1 || (i >= 3 && i < 6)) << i;
}

TYPED_TEST(Transforms, Blocks) {
  using T = typename TypeParam::T;
  struct BlocksCase {
    Shape shape;
    int space;
    Index size;
    std::array<Index, 3> shift;
    Shape blocks;
  };
  const BlocksCase cases[] = {{{6}, 1, 2, {0, 0, 1}, {3, 1, 2}},
                              {{2, 5, 6}, 2, 3, {0, 4, 2}, {4, 2, 9}},
                              {{2, 3, 4, 5}, 3, 2, {1, 0, -3}, {12, 2, 8}},
                              {{2, 4}, 1, 0, {0, 0, 0}, {1, 2, 4}},
                              {{3, 2, 9}, 2, 4, {0, 1, 8}, {3, 3, 8}}};
  for (const auto& [shape, space, size, shift, codomain] : cases) {
    const Blocks<T> blocks(shape, space, size, shift);
    EXPECT_EQ(blocks.codomain(), codomain);
    // Every pixel at its position on the ring, counted from the shift.
    const auto reference = [&, space = space, size = size, shift = shift](View<const D> x) {
      auto y = filled<D>(blocks.codomain(), 0);
      const Index batch = blocks.codomain()[1], pixels = blocks.codomain()[2];
      for (Index i = 0; i < shape.size(); ++i) {
        Index block = 0, inside = 0;
        for (int a = 3 - space; a < 3; ++a) {
          const AlongAxis along(shape, shape.rank() - 3 + a);
          const Index length = size == 0 ? along.extent : std::min(size, along.extent);
          Index at = along.at(i) - shift[static_cast<std::size_t>(a)];
          while (at < 0) at += along.extent;
          at %= along.extent;
          block = block * ((along.extent + length - 1) / length) + at / length;
          inside = inside * length + at % length;
        }
        const Index entry = i / (shape.size() / batch);
        y[(block * batch + entry) * pixels + inside] = x[i];
      }
      return y;
    };
    EXPECT_THAT(this->violations(blocks, reference), IsEmpty()) << shape.to_string();
  }
}

Array<D> mixed(View<const D> matrix, View<const D> x) {
  const Index rows = matrix.shape()[0], columns = matrix.shape()[1], width = x.size() / columns;
  auto y = filled<D>({rows, width}, 0);
  for (Index a = 0; a < rows; ++a)
    for (Index b = 0; b < columns; ++b)
      for (Index i = 0; i < width; ++i) y[a * width + i] += matrix[a * columns + b] * x[b * width + i];
  return y;
}

TYPED_TEST(Transforms, AxisMatrix) {
  using T = typename TypeParam::T;
  for (const Shape& size : {Shape{3, 4}, Shape{5, 2}}) {
    const auto matrix = random_complex<double>(size, 3);
    const AxisMatrix<T> op(matrix, {2, 3}, this->device());
    EXPECT_THAT(this->violations(op, [&](View<const D> x) { return mixed(matrix, x); }), IsEmpty());
  }
}

TYPED_TEST(Transforms, FourierMatrixIsUnitary) {
  using T = typename TypeParam::T;
  const AxisMatrix<T> fourier(fourier_matrix(6), {2}, this->device());
  const auto x = this->random({6, 2}, 1);
  EXPECT_LT(relative_difference(fourier.adjoint(fourier.apply(x, this->ctx()), this->ctx()), x),
            sizeof(T) == 4 ? 1e-6 : 1e-14);
  // A wave of one cycle in six frames has the frequency 1.
  Array<std::complex<T>> wave({6, 2});
  for (Index i = 0; i < 12; ++i)
    wave[i] = std::complex<T>(std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(i / 2) / 6));
  const auto spectrum = fetched(fourier.apply(this->there(std::move(wave)), this->ctx()));
  for (Index i = 0; i < 12; ++i)
    EXPECT_LT(std::abs(D(spectrum[i]) - (i / 2 == 1 ? std::sqrt(6.0) : 0)), 1e-5);
}

TYPED_TEST(Transforms, Remainder) {
  using T = typename TypeParam::T;
  const auto matrix = random_complex<double>({5, 3}, 3);
  const AxisMatrix<T> transform(matrix, {4}, this->device());
  const auto reference = [&](View<const D> u) {
    const auto sparse = mixed(matrix, View<const D>(u.data() + 12, {3, 4}));
    Array<D> y({32});
    for (Index i = 0; i < 12; ++i) y[i] = u[i] - u[12 + i];
    std::copy(sparse.begin(), sparse.end(), y.begin() + 12);
    return y;
  };
  EXPECT_THAT(this->violations(Remainder<T>(transform), reference), IsEmpty());
}

TEST(Daubechies, FiltersAreOrthonormalToTheLastDigit) {
  for (int n = 1; n <= most_vanishing_moments; ++n) {
    const auto h = daubechies_filter(n);
    ASSERT_EQ(h.size(), static_cast<std::size_t>(2 * n));
    for (std::size_t shift = 0; shift < h.size(); shift += 2) {
      double sum = 0;
      for (std::size_t j = 0; j + shift < h.size(); ++j) sum += h[j] * h[j + shift];
      EXPECT_NEAR(sum, shift == 0 ? 1 : 0, 5e-16) << n << " " << shift;
    }
  }
}

TEST(Daubechies, HighPassFiltersHaveTheirVanishingMoments) {
  for (int n = 1; n <= most_vanishing_moments; ++n) {
    const auto h = daubechies_filter(n);
    for (int moment = 0; moment < n; ++moment) {
      double sum = 0, size = 0;  // of the polynomial centred and scaled to the filter, relative to its terms
      for (std::size_t j = 0; j < h.size(); ++j) {
        const double term =
            (j % 2 == 0 ? 1 : -1) * h[h.size() - 1 - j] * std::pow((static_cast<double>(j) - n) / n, moment);
        sum += term;
        size += std::abs(term);
      }
      EXPECT_LT(std::abs(sum), 1e-14 * size) << n << " " << moment;
    }
    double next = 0;
    for (std::size_t j = 0; j < h.size(); ++j)
      next += (j % 2 == 0 ? 1 : -1) * h[h.size() - 1 - j] * std::pow(static_cast<double>(j) / n, n);
    EXPECT_GT(std::abs(next), 1e-8) << n;
  }
  EXPECT_THROW(daubechies_filter(0), Error);
  EXPECT_THROW(daubechies_filter(11), Error);
}

}  // namespace
}  // namespace larmor::test
