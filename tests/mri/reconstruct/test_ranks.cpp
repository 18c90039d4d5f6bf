// Several ranks give the images of one, whatever is divided among them. Ranks are threads here.
#include "error_of.hpp"
#include "mri/phantom_scan.hpp"
#include "ranks.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gmock/gmock.h>

#include <mutex>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::HasSubstr;

// Each of two ranks has another number of coils than the blocks that all of them go through a plan in.
constexpr Index n = 24, coils = 8, spokes = 30;

Context one_thread() {
  return Context(Device::cpu(), {.threads = 1});
}

/// Radial slices of a head.
Scan radial(Index slices = 1) {
  Context ctx = one_thread();
  const Phantom head = head_with_coils(2, coils);
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  for (Index slice = 0; slice < slices; ++slice)
    for (Index s = 0; s < spokes; ++s) {
      const double angle = std::numbers::pi * 0.618034 * static_cast<double>(s + 7 * slice);
      add_phantom_readout(scan, head, spoke(angle, 2 * n), {n, n}, ctx, 0.02).counters.slice =
          static_cast<std::uint16_t>(slice);
    }
  return scan;
}

/// A head in three dimensions, spokes in all directions.
Scan kooshball() {
  Context ctx = one_thread();
  constexpr Index size = 12;
  const auto points = kooshball_3d(200, size);
  Scan scan = empty_scan({size, size, size}, {size, size, size});
  const Phantom head = head_with_coils(3, coils);
  const Index samples = points.k.shape()[0] / 200;
  for (Index s = 0; s < 200; ++s) {
    std::vector<float> k;
    for (Index i = 3 * s * samples; i < 3 * (s + 1) * samples; ++i)
      k.push_back(static_cast<float>(points.k[i]));
    add_phantom_readout(scan, head, k, {size, size, size}, ctx, 0.02);
  }
  return scan;
}

struct Case {
  const char* name;
  Scan (*scan)();
  void (*change)(ReconstructOptions&);
  Split split;
  const char* divided;
  int ranks = 2;
  double tolerance = 1e-5;
};
void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.name;
}

ReconstructOptions options_of(const Case& tested) {
  ReconstructOptions options;
  options.prepare.units = TrajectoryUnits::normalised;
  // Few: later on rounding decides when conjugate gradients meet an eigenvalue once more.
  options.solve.iterations = 6;
  options.solve.regularizers = {parse_regularizer("l2:1e-2")};
  tested.change(options);
  options.ranks.split = tested.split;
  return options;
}

Reconstruction by_one(const Case& tested) {
  Context ctx = one_thread();
  return reconstruct(tested.scan(), options_of(tested), ctx);
}

/// What rank 0 has in the end.
Reconstruction by_ranks(const Case& tested) {
  Reconstruction result;
  as_ranks(tested.ranks, [&](std::shared_ptr<Communicator> ranks) {
    Context ctx = one_thread();
    ReconstructOptions options = options_of(tested);
    options.ranks.communicator = ranks;
    try {
      Reconstruction own = reconstruct(tested.scan(), options, ctx);
      if (ranks->rank() == 0) result = std::move(own);
    } catch (const Error& error) {
      if (error.error_class() != rank_lost) ADD_FAILURE() << "rank " << ranks->rank() << ": " << error.what();
      throw;
    }
  });
  return result;
}

double difference(const Reconstruction& a, const Reconstruction& b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < b.series.images.size(); ++i) {
    const auto &x = a.series.images.at(i).pixels, &y = b.series.images[i].pixels;
    if (x.shape() != y.shape()) return 1;
    for (Index p = 0; p < y.size(); ++p) {
      error += std::norm(D(x[p]) - D(y[p]));
      norm += std::norm(D(y[p]));
    }
  }
  return std::sqrt(error / norm);
}

class RanksOfAReconstruction : public testing::TestWithParam<Case> {};

TEST_P(RanksOfAReconstruction, GiveTheImagesOfOne) {
  const Reconstruction one = by_one(GetParam()), several = by_ranks(GetParam());
  ASSERT_EQ(several.series.images.size(), one.series.images.size());
  EXPECT_LT(difference(several, one), GetParam().tolerance);
  EXPECT_EQ(several.report.divided, GetParam().divided);
  EXPECT_EQ(several.report.ranks, GetParam().ranks);
  ASSERT_EQ(several.report.images.size(), one.report.images.size());
  for (std::size_t i = 0; i < one.report.images.size(); ++i) {
    EXPECT_EQ(several.report.images[i].history.size(), one.report.images[i].history.size());
    EXPECT_EQ(several.report.images[i].stop_reason, one.report.images[i].stop_reason);
    EXPECT_EQ(several.report.images[i].counters, one.report.images[i].counters);
    EXPECT_EQ(several.series.images[i].geometry.matrix, one.series.images[i].geometry.matrix);
  }
}

Scan one_slice() {
  return radial(1);
}
Scan five_slices() {
  return radial(5);
}
void in_double(ReconstructOptions& o) {
  o.solve.precision = Precision::double_precision;
  o.transform.tolerance = 1e-8;
}
void as_it_is(ReconstructOptions&) {}
void in_windows(ReconstructOptions& o) {
  o.frames.window = FrameWindow{6, 0};
}

const Case cases[] = {
    {"Coils", one_slice, as_it_is, Split::automatic, "coils"},
    {"CoilsOfThreeRanks", one_slice, as_it_is, Split::coils, "coils", 3},
    {"CoilsInThreeDimensions", kooshball, in_double, Split::coils, "coils"},
    {"CoilsWithoutToeplitz", one_slice,
     [](ReconstructOptions& o) { o.transform.toeplitz = NormalOptions::Toeplitz::off; }, Split::coils,
     "coils"},
    {"CoilsOfSlices", five_slices, in_double, Split::coils, "coils"},
    {"CoilsWithWavelets", one_slice,
     [](ReconstructOptions& o) { o.solve.regularizers = {parse_regularizer("wavelet:1e-2")}; }, Split::coils,
     "coils"},
    {"CoilsAndSetsOfMaps", one_slice,
     [](ReconstructOptions& o) {
       in_double(o);
       o.coils.sets = 2;
     },
     Split::coils, "coils"},
    {"CoilsOfASeries", one_slice, in_windows, Split::coils, "coils"},
    {"CoilsByGridding", one_slice,
     [](ReconstructOptions& o) {
       o.solve.regularizers.clear();
       o.solve.gridding = true;
     },
     Split::coils, "coils"},
    {"CoilsChosenAutomatically", one_slice,
     [](ReconstructOptions& o) {
       in_double(o);
       o.solve.regularizers.clear();
       o.solve.iterations = 0;
       o.solve.automatic = true;
     },
     Split::coils, "coils", 2, 2e-3},
    {"Slices", five_slices, as_it_is, Split::automatic, "images"},
    {"SlicesOfThreeRanks", five_slices, as_it_is, Split::frames, "images", 3},
    {"SlicesWithOneScale", five_slices,
     [](ReconstructOptions& o) { o.solve.regularizers = {parse_regularizer("wavelet:1e-2")}; },
     Split::automatic, "images"},
    {"SlicesWithOneLambda", five_slices,
     [](ReconstructOptions& o) { o.solve.regularizers = {parse_regularizer("wavelet:auto")}; },
     Split::automatic, "images"},
    {"SlicesChosenAutomatically", five_slices,
     [](ReconstructOptions& o) {
       o.solve.regularizers.clear();
       o.solve.iterations = 0;
       o.solve.automatic = true;
     },
     Split::automatic, "images"},
    {"SlicesOfSeries", five_slices, in_windows, Split::automatic, "series"},
    {"FramesOfASeries", one_slice, in_windows, Split::automatic, "frames"},
    {"FramesWithWavelets", one_slice,
     [](ReconstructOptions& o) {
       in_windows(o);
       o.solve.regularizers = {parse_regularizer("wavelet:1e-2")};
     },
     Split::frames, "frames", 3},
    {"FramesWithTwoTerms", one_slice,
     [](ReconstructOptions& o) {
       in_windows(o);
       o.solve.regularizers = {parse_regularizer("wavelet:1e-2"), parse_regularizer("tv:1e-2")};
     },
     Split::frames, "frames"},
    {"FramesByGridding", one_slice,
     [](ReconstructOptions& o) {
       in_windows(o);
       o.solve.regularizers.clear();
       o.solve.gridding = true;
     },
     Split::frames, "frames"},
    {"FramesThatAreCoupled", one_slice,
     [](ReconstructOptions& o) {
       in_windows(o);
       o.solve.regularizers = {parse_regularizer("ttv:1e-2")};
     },
     Split::frames, "frames", 3},
    {"FramesOfEachCoil", one_slice,
     [](ReconstructOptions& o) {
       in_windows(o);
       o.coils.combine = Combine::rss;
     },
     Split::frames, "frames"},
    {"Samples", one_slice, in_double, Split::samples, "samples"},
    {"SamplesByGridding", one_slice,
     [](ReconstructOptions& o) {
       in_double(o);
       o.solve.regularizers.clear();
       o.solve.gridding = true;
     },
     Split::samples, "samples", 3},
    {"NothingToDivide", one_slice, [](ReconstructOptions& o) { o.output.replicas = 2; }, Split::automatic,
     ""},
};

INSTANTIATE_TEST_SUITE_P(, RanksOfAReconstruction, testing::ValuesIn(cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(RanksOfAReconstructionTest, GiveTheSameBitsInEveryRun) {
  for (const Split split : {Split::coils, Split::samples}) {
    const Case tested{"", one_slice, as_it_is, split, "", 3};
    const Reconstruction first = by_ranks(tested), second = by_ranks(tested);
    ASSERT_EQ(first.series.images.size(), 1U);
    EXPECT_EQ(values(first.series.images[0].pixels), values(second.series.images[0].pixels));
  }
}

TEST(RanksOfAReconstructionTest, WhatCannotBeDividedIsRefusedWithTheReason) {
  const auto told = [](Split split, void (*change)(ReconstructOptions&)) {
    std::mutex mutex;
    std::string text;
    as_ranks(9, [&](std::shared_ptr<Communicator> ranks) {
      Context ctx = one_thread();
      ReconstructOptions options = options_of({"", one_slice, change, split, ""});
      options.ranks.communicator = ranks;
      const std::string own = fault_of([&] { reconstruct(one_slice(), options, ctx); });
      const std::lock_guard lock(mutex);
      text = own;
    });
    return text;
  };
  EXPECT_EQ(told(Split::coils, as_it_is), "2 split: coils cannot be divided: there are 8 coils for 9 ranks");
  EXPECT_EQ(told(Split::frames, as_it_is),
            "2 split: frames cannot be divided: there are 1 images and no more frames for 9 ranks");
  EXPECT_THAT(told(Split::samples, [](ReconstructOptions& o) { o.solve.solver = Solver::lsmr; }),
              HasSubstr("lsmr works on samples"));
}

}  // namespace
}  // namespace larmor::test
