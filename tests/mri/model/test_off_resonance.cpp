// Time segments of field maps, and the model with them against exact sums.
#include "device_cases.hpp"
#include "error_of.hpp"
#include "mri/exact_samples.hpp"
#include "mri/phantom_image.hpp"

#include <larmor/mri/model/off_resonance.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using std::numbers::pi;
using testing::HasSubstr;
using testing::Not;

// Smooth, between about −1 and 1.
Array<float> smooth_map(const Shape& shape, float scale) {
  Array<float> map(shape);
  const Index width = shape[shape.rank() - 1];
  for (Index i = 0; i < map.size(); ++i) {
    const double x = static_cast<double>(i % width) / static_cast<double>(width) - 0.5;
    const double y = static_cast<double>(i / width) / static_cast<double>(map.size() / width) - 0.5;
    map[i] = scale * static_cast<float>(std::sin(4 * x + 1) * std::cos(5 * y) + 0.2 * x);
  }
  return map;
}

Array<double> readout_times(Index readouts, Index samples, double start, double dwell) {
  Array<double> times({readouts * samples});
  for (Index j = 0; j < times.size(); ++j) times[j] = start + dwell * static_cast<double>(j % samples);
  return times;
}

class TimeSegmentsOfAField : public testing::Test {
 protected:
  Context ctx_{Device::cpu(), {.threads = 2}};
};

TEST_F(TimeSegmentsOfAField, ReachTheAccuracyAskedWithFewSegments) {
  const auto field = smooth_map({24, 20}, 150);
  const auto times = readout_times(3, 500, 0, 20e-3 / 499);
  Index before = 0;
  for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6}) {
    const auto segments = time_segments({field, {}, {}}, times, {.accuracy = accuracy}, ctx_);
    const auto error = segment_error(segments, {field, {}, {}}, times, 200, 300);
    EXPECT_LE(segments.expected_error, accuracy);
    EXPECT_LE(error.rms, 1.5 * accuracy + 2e-7);
    EXPECT_LE(error.max, 10 * accuracy);
    EXPECT_GT(segments.count(), before);
    before = segments.count();
  }
  // Six cycles of phase between the ends of the band: the sampling theorem requires six, each further digit
  // about one more.
  EXPECT_LE(before, 16);
  const auto few = time_segments({field, {}, {}}, times, {.segments = 4}, ctx_);
  EXPECT_EQ(few.count(), 4);
}

TEST_F(TimeSegmentsOfAField, AConstantFieldNeedsOneSegment) {
  const auto field = filled<float>({5, 4}, -73.0F);
  const auto times = readout_times(2, 100, -1e-3, 1e-4);
  const auto segments = time_segments({field, {}, {}}, times, {.accuracy = 1e-6}, ctx_);
  EXPECT_EQ(segments.count(), 1);
  EXPECT_LT(segment_error(segments, {field, {}, {}}, times).max, 1e-6);
}

TEST_F(TimeSegmentsOfAField, InterpolatorsAreRealUpToAPhase) {
  auto field = smooth_map({16, 16}, 80);
  for (float& value : field) value += 37;  // not centred at zero
  const auto times = readout_times(1, 300, 0, 5e-5);
  const auto segments = time_segments({field, {}, {}}, times, {.accuracy = 1e-4}, ctx_);
  const Index count = segments.count();
  for (Index j = 0; j < times.size(); ++j) {
    const D phase = std::polar(1.0, -2 * pi * segments.centre_hz * times[j]);
    for (Index l = 0; l < count; ++l) EXPECT_NEAR((segments.basis[j * count + l] / phase).imag(), 0, 1e-9);
  }
}

TEST_F(TimeSegmentsOfAField, DecayAndGapsInTimeAreFollowed) {
  const auto field = smooth_map({24, 20}, 60);
  auto decay = smooth_map({24, 20}, 40);
  for (float& value : decay) value = 50 + value;
  // Two echoes with no samples between them.
  auto times = readout_times(2, 200, 0, 2e-5);
  for (Index j = 200; j < 400; ++j) times[j] += 15e-3;
  const auto segments = time_segments({field, decay, {}}, times, {.accuracy = 1e-4}, ctx_);
  EXPECT_LE(segment_error(segments, {field, decay, {}}, times).rms, 2e-4);
  EXPECT_LE(segments.count(), 12);
}

TEST_F(TimeSegmentsOfAField, PixelsWithoutWeightDoNotCount) {
  auto field = smooth_map({24, 20}, 50);
  auto weight = filled<float>({24, 20}, 1);
  const auto times = readout_times(1, 400, 0, 5e-5);
  const auto clean = time_segments({field, {}, {}}, times, {}, ctx_);
  field[7] = 3000;
  weight[7] = 0;
  const auto segments = time_segments({field, {}, weight}, times, {}, ctx_);
  EXPECT_EQ(segments.count(), clean.count());
  EXPECT_LE(segment_error(segments, {field, {}, weight}, times).rms, 2e-3);
}

TEST_F(TimeSegmentsOfAField, WhatCannotBeUsedIsNamed) {
  auto field = smooth_map({6, 5}, 50);
  const auto times = readout_times(1, 10, 0, 1e-3);
  const auto message = [&](const FieldMap& map, const Array<double>& t, const SegmentOptions& options) {
    return error_of([&] { time_segments(map, t, options, ctx_); });
  };
  const auto other = smooth_map({5, 6}, 1);
  EXPECT_THAT(message({field, other, {}}, times, {}), HasSubstr("[5, 6], but the field map [6, 5]"));
  EXPECT_THAT(message({field, {}, filled<float>({6, 5}, 0)}, times, {}), HasSubstr("zero everywhere"));
  EXPECT_THAT(message({field, {}, filled<float>({6, 5}, -1)}, times, {}), HasSubstr("not negative"));
  EXPECT_THAT(message({field, {}, {}}, times, {.segments = 65}), HasSubstr("1 to 64"));
  EXPECT_THAT(message({field, {}, {}}, times, {.accuracy = 0}), HasSubstr("positive"));
  EXPECT_THAT(message({field, {}, {}}, filled<double>({2}, std::nan("")), {}), HasSubstr("time of sample 0"));
  const auto wild = smooth_map({64, 64}, 4e4F);
  EXPECT_THAT(message({wild, {}, {}}, readout_times(1, 3000, 0, 1e-5), {}),
              HasSubstr("and time segments support up to 64"));
  // Half of the bandwidth of samples 1 ms apart, where the weight is not 0.
  field[13] = 501;
  EXPECT_THAT(message({field, {}, {}}, times, {}), HasSubstr("the field map is 501 Hz at [2, 3]"));
  auto weight = filled<float>({6, 5}, 1);
  weight[13] = 0;
  EXPECT_NO_THROW(time_segments({field, {}, weight}, times, {}, ctx_));
  EXPECT_THAT(message({weight, field, {}}, times, {}), HasSubstr("the R2* map is 501 1/s at [2, 3]"));
  field[13] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(message({field, {}, {}}, times, {}), HasSubstr("not finite at [2, 3]"));
}

template <typename Case>
class OffResonanceModel : public OnDevice<Case> {};
TYPED_TEST_SUITE(OffResonanceModel, FloatCases, CaseNames);

TYPED_TEST(OffResonanceModel, EqualsExactSums) {
  using T = typename TypeParam::T;
  const Shape image{18, 20};
  const Index coils = 2, samples = 400;
  const auto k = random_real({samples, 2}, -0.5, 0.5, 1);
  const auto times = readout_times(4, samples / 4, 0, 15e-3 / 99);
  const auto field = smooth_map(image, 120);
  auto decay = smooth_map(image, 20);
  for (float& value : decay) value += 25;
  const auto maps = random_complex<T>(image.prepend(coils), 2);
  const auto x = random_complex<T>(image, 3);
  Array<D> exact({coils, samples});
  for (Index c = 0; c < coils; ++c)
    for (Index j = 0; j < samples; ++j) {
      D sum = 0;
      for (Index p = 0; p < x.size(); ++p) {
        const double cycles = k[2 * j] * static_cast<double>(p % 20 - 10) +
                              k[2 * j + 1] * static_cast<double>(p / 20 - 9) +
                              static_cast<double>(field[p]) * times[j];
        sum += D(maps[c * x.size() + p]) * D(x[p]) *
               std::polar(std::exp(-static_cast<double>(decay[p]) * times[j]), -2 * pi * cycles);
      }
      exact[c * samples + j] = sum / std::sqrt(360.0);
    }
  for (const double accuracy : {1e-2, 1e-4}) {
    const auto segments = time_segments({field, decay, {}}, times, {.accuracy = accuracy}, this->ctx());
    const auto A =
        off_resonance_model<T>(k, segments.basis, segment_images<T>(segments, this->ctx()),
                               CoilMaps<T>(this->there(clone(maps))), {.tolerance = 1e-5}, this->ctx());
    EXPECT_LE(relative_difference(A.apply(this->there(clone(x)), this->ctx()), exact), 2 * accuracy);

    const auto normal = A.normal(this->ctx());
    EXPECT_THAT(describe(normal), HasSubstr("SenseToeplitz"));
    EXPECT_THAT(describe(normal), Not(HasSubstr("Nufft")));
    walk(normal, [&](const LinearOperator<T>& op, int) {
      if (const auto* toeplitz = dynamic_cast<const Toeplitz<T>*>(&op)) {
        EXPECT_TRUE(toeplitz->real());
      }
    });
    const auto xd = this->there(clone(x));
    EXPECT_LE(
        relative_difference(normal.apply(xd, this->ctx()), A.adjoint(A.apply(xd, this->ctx()), this->ctx())),
        1e-4);
  }
}

// From −scale to scale across the field of view.
Array<float> shim_map(const Shape& shape, double scale) {
  Array<float> map(shape);
  for (Index i = 0; i < map.size(); ++i) {
    const double x = static_cast<double>(i % shape[1]) / static_cast<double>(shape[1]) - 0.5;
    const double y = static_cast<double>(i / shape[1]) / static_cast<double>(shape[0]) - 0.5;
    map[i] = static_cast<float>(scale * std::sin(pi / 1.2 * (x + 0.2 * std::cos(pi * y))));
  }
  return map;
}

// ‖a/√N − b‖ / ‖b‖ with the units of the plain sum.
double image_error(const Array<std::complex<float>>& solution, const Array<std::complex<float>>& truth) {
  auto image = fetched(solution);
  const float unit = 1 / std::sqrt(static_cast<float>(image.size()));
  for (auto& value : image) value *= unit;
  return relative_difference(image, truth);
}

// The smallest error over the iterations.
double best_error(const LinearOperator<float>& A, const Array<std::complex<float>>& y,
                  const Array<std::complex<float>>& truth, Context& ctx) {
  double best = 1e9;
  for (const Index iterations : {3, 6, 10, 20})
    best = std::min(
        best, image_error(conjugate_gradient<float>(A, y, {}, {.iterations = iterations}, ctx).x, truth));
  return best;
}

TYPED_TEST(OffResonanceModel, CorrectsASpiralOfTwentyMilliseconds) {
  Context& ctx = this->ctx();
  Context cpu(Device::cpu(), {.threads = 2});
  // Through the field gradient, k changes by up to 0.09 cycles/pixel until the end of the readout: coarser
  // images lose more of their edges.
  const Shape image{96, 96}, fine{192, 192};
  const Phantom phantom(2, head_phantom(2), coil_ring(2, 1));
  const auto spiral = variable_density_spiral({.matrix = 96, .interleaves = 8});
  const Index samples = spiral.k.shape()[0], length = spiral.samples_per_readout;
  const auto times = readout_times(spiral.readouts, length, 0, 20e-3 / static_cast<double>(length - 1));
  auto k_fine = clone(spiral.k);
  for (double& k : k_fine) k *= 0.5;

  const auto object = test::phantom_image(phantom, fine, 4, cpu),
             coils = test::phantom_sensitivities(phantom, fine, cpu);
  const auto field_fine = shim_map(fine, 150), field = shim_map(image, 150);
  auto exact = exact_samples(object, coils, {field_fine, {}, {}}, k_fine, times, cpu);
  for (D& value : exact) value *= 0.25;
  const auto off = this->there(converted<std::complex<float>>(exact.view()));
  const auto on = this->there(converted<std::complex<float>>(phantom.kspace(spiral.k, image, cpu).view()));
  const auto truth = phantom.truth(image, cpu);
  const CoilMaps<float> maps(this->there(phantom.maps(image, cpu)));
  const auto plain = sense_model(Nufft<float>(spiral.k, image, {.tolerance = 1e-4, .batch = 1}, ctx), maps);
  const auto segments = time_segments({field, {}, {}}, times, {.accuracy = 1e-3}, ctx);
  const auto model = off_resonance_model(spiral.k, segments.basis, segment_images<float>(segments, ctx), maps,
                                         {.tolerance = 1e-4}, ctx);
  ASSERT_EQ(on.shape(), (Shape{1, samples}));

  const double on_resonance = best_error(plain, on, truth, ctx),
               uncorrected = best_error(plain, off, truth, ctx);
  const double corrected = best_error(model, off, truth, ctx);
  const auto error = segment_error(segments, {field, {}, {}}, times);
  this->RecordProperty("on_resonance", std::to_string(on_resonance));
  this->RecordProperty("uncorrected", std::to_string(uncorrected));
  this->RecordProperty("corrected", std::to_string(corrected));
  EXPECT_LE(error.rms, 1.5e-3);
  EXPECT_LE(corrected, 1.3 * on_resonance);
  EXPECT_LE(corrected, 0.7 * uncorrected);
}

}  // namespace
}  // namespace larmor::test
