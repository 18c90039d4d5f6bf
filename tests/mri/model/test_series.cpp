// One linear problem from the data of frames; each model compared with exact sums.
#include "device_cases.hpp"
#include "error_of.hpp"
#include "mri/exact_samples.hpp"

#include <larmor/mri/model/series.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using C = std::complex<float>;
using D = std::complex<double>;
using testing::HasSubstr;
using testing::Not;

constexpr Index coils = 3, frame_count = 4, frame_samples = 90;
const Shape image{10, 12};

std::vector<PreparedImage> random_frames() {
  std::vector<PreparedImage> frames(frame_count);
  for (unsigned f = 0; f < frame_count; ++f) {
    frames[f].trajectory = random_real({frame_samples, 2}, -0.5, 0.5, 10 + f);
    frames[f].samples = random_complex<float>({coils, frame_samples}, 20 + f);
    frames[f].times = random_real({frame_samples}, 0, 10e-3, 30 + f);
  }
  return frames;
}

std::vector<PreparedImage> copies(const std::vector<PreparedImage>& frames) {
  std::vector<PreparedImage> result(frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    result[f].trajectory = clone(frames[f].trajectory);
    result[f].samples = clone(frames[f].samples);
    result[f].weights = clone(frames[f].weights);
    result[f].times = clone(frames[f].times);
  }
  return result;
}

Array<float> field_map(double scale) {
  Array<float> map(image);
  for (Index i = 0; i < map.size(); ++i)
    map[i] = static_cast<float>(scale * std::sin(0.4 * static_cast<double>(i % 12)) +
                                0.3 * static_cast<double>(i / 12));
  return map;
}

template <typename Case>
class SeriesProblems : public OnDevice<Case> {
 protected:
  Array<C> maps_ = random_complex<float>(image.prepend(coils), 2);
  CoilMaps<float> maps() { return CoilMaps<float>(this->there(clone(maps_))); }

  /// Samples of one frame by exact sums.
  Array<C> exact(const PreparedImage& frame, const Array<C>& x, const Array<float>& field) {
    Context cpu(Device::cpu(), {.threads = 2});
    const auto y = exact_samples(converted<D>(x.view()), converted<D>(maps_.view()), {field, {}, {}},
                                 frame.trajectory, frame.times, cpu);
    Array<C> scaled(y.shape());
    for (Index i = 0; i < y.size(); ++i) {
      const double d = frame.weights.empty() ? 1 : frame.weights[i % frame_samples];
      scaled[i] = C(y[i] * std::sqrt(d / static_cast<double>(image.size())));
    }
    return scaled;
  }
};
TYPED_TEST_SUITE(SeriesProblems, FloatCases, CaseNames);

TYPED_TEST(SeriesProblems, HaveTheModelThatTheirDataAskFor) {
  Context& ctx = this->ctx();
  Context cpu(Device::cpu(), {.threads = 2});
  auto frames = random_frames();
  for (auto& frame : frames) frame.weights = random_real({frame_samples}, 0.5, 2, 40);
  const auto on = filled<float>(image, 0), off = field_map(70);
  const FieldMap field{off, {}, {}};
  const auto basis = subspace_from_dictionary(random_complex<double>({9, frame_count}, 5), 2);
  for (const bool with_field : {false, true})
    for (const bool with_basis : {false, true}) {
      SeriesOptions options;
      options.nufft.tolerance = 1e-5;
      const FrameSegments segments = segments_of_frames(frames, field, {.accuracy = 1e-4}, ctx);
      EXPECT_LE(segments.error.rms, 2e-4);
      if (with_field) options.segments = &segments;
      if (with_basis) options.basis = &basis;
      const auto problem =
          series_problem<float>(copies(frames), {frame_count}, image, {this->maps()}, options, ctx);
      EXPECT_EQ(problem.model->domain(), image.prepend(with_basis ? 2 : frame_count));
      EXPECT_EQ(problem.samples.shape(), problem.model->codomain());

      const auto x = random_complex<float>(problem.model->domain(), 6);
      const auto series = with_basis ? echo_images(basis, x, cpu) : clone(x);
      const auto y = fetched(problem.model->apply(this->there(clone(x)), ctx));
      const auto samples = fetched(problem.samples);
      for (Index f = 0; f < frame_count; ++f) {
        const auto& frame = frames[static_cast<std::size_t>(f)];
        const auto expected = this->exact(frame, clone(series.view().slice(f)), with_field ? off : on);
        Array<C> found(expected.shape()), data(expected.shape());
        for (Index c = 0; c < coils; ++c)
          for (Index i = 0; i < frame_samples; ++i) {
            // Coils outside the frames with a basis, inside without.
            const Index at =
                with_basis ? (c * frame_count + f) * frame_samples + i : (f * coils + c) * frame_samples + i;
            found[c * frame_samples + i] = y[at];
            data[c * frame_samples + i] = samples[at] / static_cast<float>(std::sqrt(frame.weights[i]));
          }
        EXPECT_LT(relative_difference(found, expected), 5e-4) << with_field << with_basis;
        EXPECT_LT(relative_difference(data, frame.samples), 1e-6);
      }
      const std::string tree = describe(problem.model->normal(ctx));
      EXPECT_THAT(tree, HasSubstr("SenseToeplitz"));
      EXPECT_THAT(tree, Not(HasSubstr("Nufft")));
    }
}

TYPED_TEST(SeriesProblems, FramesOfOneTrajectoryShareTheirTables) {
  Context& ctx = this->ctx();
  auto frames = random_frames();
  const auto apart = series_problem<float>(copies(frames), {frame_count}, image, {this->maps()}, {}, ctx);
  for (auto& frame : frames) frame.trajectory = clone(frames.front().trajectory);
  const auto shared = series_problem<float>(copies(frames), {2, 2}, image, {this->maps()}, {}, ctx);
  EXPECT_EQ(shared.model->domain(), image.prepend(2).prepend(2));
  const auto memory = [&](const SeriesProblem<float>& problem) {
    const auto before = this->memory().current_bytes;
    const auto normal = problem.model->normal(ctx);
    return this->memory().current_bytes - before;
  };
  EXPECT_LT(2 * memory(shared), memory(apart));
}

TYPED_TEST(SeriesProblems, WhatDoesNotFitIsNamed) {
  Context& ctx = this->ctx();
  const auto frames = random_frames();
  const auto basis = subspace_from_dictionary(random_complex<double>({9, 7}, 5), 2);
  SeriesOptions with_basis;
  with_basis.basis = &basis;
  EXPECT_THAT(error_of([&] {
                series_problem<float>(copies(frames), {frame_count}, image, {this->maps()}, with_basis, ctx);
              }),
              HasSubstr("the basis has 7 echoes, but the series 4 frames"));
  const auto field = filled<float>({12, 10}, 0);
  const FrameSegments other = segments_of_frames(frames, {field, {}, {}}, {}, ctx);
  SeriesOptions with_field;
  with_field.segments = &other;
  EXPECT_THAT(error_of([&] {
                series_problem<float>(copies(frames), {frame_count}, image, {this->maps()}, with_field, ctx);
              }),
              HasSubstr("field map of shape [12, 10] for coil maps of [3, 10, 12]"));
}

TEST(FieldMapsOnTheSolveGrid, GoOnBeyondTheImage) {
  Grids grids;
  grids.recon.matrix = {3, 2, 1};
  grids.solve.matrix = {6, 4, 1};
  Array<float> given({2, 3});
  for (Index i = 0; i < 6; ++i) given[i] = static_cast<float>(i + 1);
  const auto field = field_on_solve_grid({given, {}, {}}, grids, 1, 0);
  const float expected[] = {1, 1, 1, 2, 3, 3, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 6, 6, 4, 4, 4, 5, 6, 6};
  const float inside[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  for (Index i = 0; i < 24; ++i) {
    EXPECT_EQ(field.frequency[i], expected[i]) << i;
    EXPECT_EQ(field.weight[i], inside[i]) << i;
  }
  EXPECT_TRUE(field.decay.empty());

  // One map for each slice.
  Array<float> slices({2, 2, 3});
  for (Index i = 0; i < 12; ++i) slices[i] = static_cast<float>(i + 1);
  EXPECT_EQ(field_on_solve_grid({slices, {}, {}}, grids, 2, 1).frequency[8], 7);
  const auto solve = filled<float>({4, 6}, 5);
  EXPECT_TRUE(field_on_solve_grid({solve, {}, {}}, grids, 1, 0).weight.empty());
  EXPECT_THAT(error_of([&] {
                field_on_solve_grid({filled<float>({3, 2}, 1), {}, {}}, grids, 1, 0);
              }),
              HasSubstr("field map of shape [3, 2], expected [2, 3]"));
  EXPECT_THAT(error_of([&] {
                field_on_solve_grid({given, solve, {}}, grids, 1, 0);
              }),
              HasSubstr("R2* map of shape [4, 6], but the field map has [2, 3]"));
}

TEST(FieldMapsOnTheSolveGrid, WhatHasNoWeightMayBeUnknown) {
  Grids grids;
  grids.recon.matrix = grids.solve.matrix = {2, 2, 1};
  auto map = filled<float>({2, 2}, 3), weight = filled<float>({2, 2}, 1);
  map[1] = NAN;
  map[2] = INFINITY;
  EXPECT_TRUE(std::isnan(field_on_solve_grid({map, {}, weight}, grids, 1, 0).frequency[1]));
  weight[1] = weight[2] = 0;
  const auto field = field_on_solve_grid({map, map, weight}, grids, 1, 0);
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(field.frequency[i], i == 1 || i == 2 ? 0 : 3) << i;
    EXPECT_EQ(field.decay[i], i == 1 || i == 2 ? 0 : 3) << i;
  }
}

}  // namespace
}  // namespace larmor::test
