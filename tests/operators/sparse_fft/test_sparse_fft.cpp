// The transform of sparse matrices compared with the dense one of the same library in double (FFTW's), and
// with sums computed by hand.
#include "device_cases.hpp"
#include "error_of.hpp"

#include <larmor/bench/random_pattern.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/operators/sparse_fft/columns.hpp>
#include <larmor/operators/sparse_fft/sparse_fft.hpp>

#include <gmock/gmock.h>

#include <numbers>
#include <numeric>
#include <random>

namespace larmor::test {
namespace {

using D = std::complex<double>;

Array<D> dense_spectrum(const SparsePattern& pattern) {
  auto dense = filled<D>({pattern.rows, pattern.columns}, 0);
  for (std::size_t i = 0; i < pattern.row.size(); ++i) {
    D& place = dense[static_cast<Index>(pattern.row[i]) * pattern.columns + pattern.column[i]];
    place = pattern.binary() ? D(1) : place + pattern.values[i];
  }
  Context ctx;
  const FftPlan<double> plan(dense.shape(), 2);
  ctx.arena().reserve(plan.scratch_bytes(ctx));
  plan.execute(dense, FftSign::forward, ctx);
  return dense;
}

Array<D> first_columns(const Array<D>& full, Index width) {
  const Index rows = full.shape()[0], columns = full.shape()[1];
  Array<D> part({rows, width});
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < width; ++c) part[r * width + c] = full[r * columns + c];
  return part;
}

enum class Values { ones, real, complex };

SparsePattern valued(SparsePattern pattern, Values values, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> gauss;
  if (values != Values::ones)
    for (Index i = 0; i < pattern.entries(); ++i)
      pattern.values.emplace_back(gauss(generator), values == Values::complex ? gauss(generator) : 0.0);
  return pattern;
}

template <typename Case>
class SparseFfts : public OnDevice<Case> {
 protected:
  static constexpr double tolerance = sizeof(typename Case::T) == 4 ? 2e-6 : 2e-13;

  // Stored, streamed and summarised, compared with the dense transform.
  void expect_equal_to_dense(const SparsePattern& pattern, const SparseFftOptions& options = {}) {
    using T = typename Case::T;
    Context& ctx = this->ctx();
    const auto full = dense_spectrum(pattern);
    const SparseFft<T> fft(pattern, options, ctx);
    const Shape shape = fft.spectrum_shape();
    const Index half = pattern.columns / 2 + 1;
    ASSERT_EQ(shape, (Shape{pattern.rows, options.full || !pattern.real() ? pattern.columns : half}));
    const auto expected = first_columns(full, shape[1]);

    auto kept = this->there(filled<std::complex<T>>(shape, {NAN, NAN}));
    fft.spectrum(kept, ctx);
    EXPECT_LT(relative_difference(kept, expected), tolerance);

    Array<std::complex<T>> streamed(shape);
    std::vector<int> seen(static_cast<std::size_t>(shape[0]), 0);
    fft.stream(
        [&](const SpectrumTile<T>& tile) {
          for (Index i = 0; i < tile.rows.shape()[0]; ++i) {
            ++seen[static_cast<std::size_t>(tile.first_row + i)];
            std::copy_n(tile.rows.slice(i).data(), shape[1],
                        streamed.view().slice(tile.first_row + i).data());
          }
        },
        ctx);
    EXPECT_THAT(seen, testing::Each(1));
    EXPECT_TRUE(same_bits(streamed, kept));

    double energy = 0, peak = 0;
    for (Index i = 0; i < full.size(); ++i) {
      energy += std::norm(full[i]);
      if (i > 0) peak = std::max(peak, std::abs(full[i]));
    }
    const SpectrumSummary summary = fft.summary(ctx);
    EXPECT_NEAR(summary.energy, energy, 1e-5 * energy);
    EXPECT_NEAR(summary.origin, std::abs(full[0]), 1e-9 * std::sqrt(energy));
    EXPECT_NEAR(summary.peak, peak, 1e-5 * peak);
    if (peak > 0) {
      EXPECT_NEAR(std::abs(full[summary.peak_row * pattern.columns + summary.peak_column]), peak,
                  1e-5 * peak);
    }
  }
};
TYPED_TEST_SUITE(SparseFfts, DeviceCases, CaseNames);

TYPED_TEST(SparseFfts, EqualTheDenseTransformAtAllKindsOfSizes) {
  // prime, smooth, a power of two, one row, one column, and lengths that only Bluestein's convolution
  // supports
  for (const Shape& size : {Shape{31, 37}, Shape{60, 84}, Shape{64, 64}, Shape{1, 23}, Shape{29, 1},
                            Shape{1, 1}, Shape{2, 2}, Shape{33, 128}, Shape{100, 11}, Shape{17, 26}})
    for (const Values values : {Values::ones, Values::real, Values::complex}) {
      SCOPED_TRACE(size.to_string() + " values " + std::to_string(static_cast<int>(values)));
      const auto pattern =
          valued(random_pattern({.rows = size[0], .columns = size[1], .density = 0.2, .seed = 3}), values, 4);
      this->expect_equal_to_dense(pattern);
    }
}

TYPED_TEST(SparseFfts, StoreTheWholeSpectrumOnRequest) {
  for (const Shape& size : {Shape{31, 37}, Shape{32, 20}, Shape{6, 13}})
    this->expect_equal_to_dense(random_pattern({.rows = size[0], .columns = size[1], .density = 0.1}),
                                {.full = true});
}

TYPED_TEST(SparseFfts, DoNotDependOnTheTile) {
  const auto pattern = random_pattern({.rows = 211, .columns = 113, .density = 0.05, .seed = 9});
  Context& ctx = this->ctx();
  const auto whole = SparseFft<typename TypeParam::T>(pattern, {}, ctx).spectrum(ctx);
  for (const Index tile : {1, 16, 48, 1000}) {
    const SparseFftOptions options{.tile_rows = tile};
    EXPECT_TRUE(same_bits(SparseFft<typename TypeParam::T>(pattern, options, ctx).spectrum(ctx), whole));
    this->expect_equal_to_dense(pattern, options);
  }
}

TYPED_TEST(SparseFfts, TransformAnEmptyMatrix) {
  Context& ctx = this->ctx();
  const SparsePattern empty{14, 9, {}, {}};
  const SparseFft<typename TypeParam::T> fft(empty, {}, ctx);
  const auto spectrum = fetched(fft.spectrum(ctx));
  for (const auto& value : spectrum) EXPECT_EQ(std::abs(value), 0);
  const SpectrumSummary summary = fft.summary(ctx);
  EXPECT_EQ(summary.origin, 0);
  EXPECT_EQ(summary.peak, 0);
  EXPECT_EQ(summary.energy, 0);
  EXPECT_EQ(summary.side_lobe(), 0);
}

TYPED_TEST(SparseFfts, TurnOneEntryIntoAPhase) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const SparsePattern one{19, 22, {5}, {21}};
  const auto spectrum = fetched(SparseFft<T>(one, {.full = true}, ctx).spectrum(ctx));
  for (Index u = 0; u < 19; ++u)
    for (Index v = 0; v < 22; ++v) {
      const double cycles = static_cast<double>(u * 5) / 19 + static_cast<double>(v * 21) / 22;
      EXPECT_LT(std::abs(D(spectrum[u * 22 + v]) - std::polar(1.0, -2 * std::numbers::pi * cycles)),
                sizeof(T) == 4 ? 2e-6 : 1e-13);
    }
}

TYPED_TEST(SparseFfts, CountARepeatedEntryOnceAndAddRepeatedValues) {
  // Rows 1, 3 and columns 0, 2, 4, 5, 6 of 5 × 7 are empty.
  SparsePattern twice{5, 7, {4, 0, 4, 2, 4, 0}, {3, 1, 3, 3, 3, 1}};
  this->expect_equal_to_dense(twice);
  Context& ctx = this->ctx();
  EXPECT_EQ(SparseFft<typename TypeParam::T>(twice, {}, ctx).entries(), 3);
  EXPECT_EQ(SparseFft<typename TypeParam::T>(twice, {}, ctx).summary(ctx).origin, 3);
  twice.values = {1.0, 2.0, 3.0, 4.0, -2.0, 0.5};
  this->expect_equal_to_dense(twice);
  EXPECT_EQ(SparseFft<typename TypeParam::T>(twice, {}, ctx).summary(ctx).origin, 8.5);
}

TYPED_TEST(SparseFfts, FillOneRowAndOneColumn) {
  SparsePattern cross{40, 44, {}, {}};
  for (std::uint32_t i = 0; i < 40; ++i) cross.row.push_back(i), cross.column.push_back(7);
  for (std::uint32_t i = 0; i < 44; ++i) cross.row.push_back(11), cross.column.push_back(i);
  this->expect_equal_to_dense(cross);
}

TYPED_TEST(SparseFfts, FindThePeakSideLobeOfARegularPattern) {
  // Every third of 12 rows: as high as the main lobe, first at row 4.
  SparsePattern comb{12, 10, {}, {}};
  for (std::uint32_t r = 0; r < 12; r += 3)
    for (std::uint32_t c = 0; c < 10; ++c) comb.row.push_back(r), comb.column.push_back(c);
  Context& ctx = this->ctx();
  const auto summary = SparseFft<typename TypeParam::T>(comb, {}, ctx).summary(ctx);
  EXPECT_NEAR(summary.side_lobe(), 1, 1e-5);
  EXPECT_EQ(summary.peak_row, 4);
  EXPECT_EQ(summary.peak_column, 0);
}

TYPED_TEST(SparseFfts, TakeMoreRowsThanSixteenBitsCount) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const SparsePattern tall{70001, 3, {0, 69999, 70000, 65536}, {0, 1, 2, 1}};
  const auto spectrum = fetched(SparseFft<T>(tall, {}, ctx).spectrum(ctx));
  const auto expected = first_columns(dense_spectrum(tall), 2);
  EXPECT_LT(relative_difference(spectrum, expected), this->tolerance);
}

TYPED_TEST(SparseFfts, TakeRowsThatSharedMemoryOfAGpuDoesNotHold) {
  for (const Index columns : {20011, 32768}) {  // by convolution and directly
    auto pattern = random_pattern({.rows = 21, .columns = columns, .density = 0.01});
    this->expect_equal_to_dense(pattern);
    this->expect_equal_to_dense(pattern, {.batch_rows = 2});
  }
  // More than one batch that fills a tile, and the same rows in shared memory.
  const auto pattern = random_pattern({.rows = 601, .columns = 8219, .density = 0.001});
  this->expect_equal_to_dense(pattern);
  this->expect_equal_to_dense(pattern, {.longest_shared_row = 8192});
}

TYPED_TEST(SparseFfts, TransformRowsOfPowersOfTwoInTwoSteps) {
  // Several bundles of rows and less than one; incomplete tiles.
  const auto random = [](Index rows, Index columns, double density) {
    return random_pattern({.rows = rows, .columns = columns, .density = density, .seed = 6});
  };
  this->expect_equal_to_dense(random(140, 16384, 0.002));
  this->expect_equal_to_dense(valued(random(43, 16384, 0.05), Values::complex, 7), {.tile_rows = 32});
  this->expect_equal_to_dense(valued(random(150, 32768, 0.001), Values::real, 8), {.full = true});
  this->expect_equal_to_dense(random(70, 65536, 0.0005));
}

TYPED_TEST(SparseFfts, HaveTheSameBitsForAnyNumberOfThreads) {
  using T = typename TypeParam::T;
  const auto pattern = valued(random_pattern({.rows = 150, .columns = 97, .density = 0.1}), Values::real, 5);
  Context one = this->context({.threads = 1}), three = this->context({.threads = 3});
  EXPECT_TRUE(same_bits(SparseFft<T>(pattern, {}, one).spectrum(one),
                        SparseFft<T>(pattern, {}, three).spectrum(three)));
}

TYPED_TEST(SparseFfts, RefuseASpectrumOfAnotherShape) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const SparseFft<T> fft(SparsePattern{4, 6, {1}, {2}}, {}, ctx);
  Array<std::complex<T>> wrong({4, 6}, ctx.device());
  EXPECT_THAT([&] { fft.spectrum(wrong, ctx); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("[4, 6] on")));
  EXPECT_THROW(SparseFft<T>(SparsePattern{4, 6, {1}, {2}}, {.tile_rows = -1}, ctx), Error);
}

TEST(SparsePatterns, AreCheckedEntryByEntry) {
  const auto message = [](const SparsePattern& pattern) {
    return error_of([&] { check_pattern(pattern, "it"); });
  };
  EXPECT_EQ(message({3, 4, {0, 2}, {3, 0}}), "");
  EXPECT_THAT(message({3, 4, {0, 3}, {3, 0}}), testing::StartsWith("3: it: entry 1 is at row 3, column 0"));
  EXPECT_THAT(message({3, 4, {0, 2}, {3, 4}}), testing::HasSubstr("expected less than 3 and 4"));
  EXPECT_THAT(message({0, 4, {}, {}}), testing::StartsWith("3: it: 0 rows and 4 columns"));
  EXPECT_THAT(message({3, 4, {0, 1}, {1}}), testing::HasSubstr("2 row indices, 1 column indices"));
  EXPECT_THAT(message({3, 4, {0}, {1}, {D(NAN, 0)}}), testing::HasSubstr("entry 0 is not a finite number"));
}

TEST(SparseColumns, LeaveOutEmptyColumnsAndSortRows) {
  const SparsePattern pattern{9, 6, {8, 2, 2, 0, 2}, {4, 4, 1, 4, 4}, {1.0, 2.0, 3.0, 4.0, 5.0}};
  const auto columns = sparse_fft::make_columns(pattern);
  EXPECT_THAT(columns.column, testing::ElementsAre(1, 4));
  EXPECT_THAT(columns.start, testing::ElementsAre(0, 1, 4));
  EXPECT_THAT(columns.narrow_rows, testing::ElementsAre(2, 0, 2, 8));
  EXPECT_THAT(columns.values, testing::ElementsAre(3.0, 4.0, 7.0, 1.0));
}

}  // namespace
}  // namespace larmor::test
