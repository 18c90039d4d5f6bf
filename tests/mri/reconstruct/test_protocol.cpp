// Scans of one protocol, reconstructed one after the other as they arrive, compared with one scan that
// contains them all.
#include "mri/synthetic_scan.hpp"

#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/protocol.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

namespace larmor {
namespace {

class OneProtocol : public testing::Test {
 protected:
  /// A repetition with its own noise. first_spoke: in the golden-angle order, so that other values give other
  /// trajectories.
  Scan repetition(std::uint16_t counter, std::size_t first_spoke = 0) {
    Scan scan =
        simulate_scan({.matrix = {32, 32, 1}, .coils = 4, .readouts = 80, .seed = 1U + counter}, ctx_).scan;
    // One noise measurement for all repetitions.
    const Scan first = simulate_scan({.matrix = {32, 32, 1}, .coils = 4, .readouts = 80}, ctx_).scan;
    const Readout& noise = first.readouts.front();
    EXPECT_NE(never_imaging(noise.header), nullptr);
    std::copy_n(first.data.begin() + static_cast<std::ptrdiff_t>(noise.data_offset),
                noise.header.samples * noise.header.active_channels,
                scan.data.begin() + static_cast<std::ptrdiff_t>(scan.readouts.front().data_offset));
    std::size_t spokes = 0;
    std::erase_if(scan.readouts, [&](const Readout& readout) {
      if (never_imaging(readout.header)) return false;
      const std::size_t spoke = spokes++;
      return spoke < first_spoke || spoke >= first_spoke + 64;
    });
    for (Readout& readout : scan.readouts) readout.header.counters.repetition = counter;
    return scan;
  }
  static Scan joined(Scan all, const Scan& more) {
    test::append_imaging(all, more);
    return all;
  }
  static double difference(const Image& a, const Image& b) {
    return test::relative_difference(a.pixels, b.pixels);
  }
  ReconstructOptions options(const std::string& term = "") const {
    ReconstructOptions options;
    options.solve.automatic = term.empty();
    if (!term.empty()) options.solve.regularizers = {parse_regularizer(term)};
    return options;
  }
  static ReconstructOptions with(ReconstructOptions options, const std::shared_ptr<Protocol>& protocol) {
    options.protocol = protocol;
    return options;
  }

  Context ctx_{Device::cpu(), {.threads = 2}};
};

TEST_F(OneProtocol, GivesTheImagesOfOneScanThatHasThemAll) {
  for (const char* term : {"", "l2:0.01", "tv:0.01"}) {
    for (const std::size_t second : {std::size_t{0}, std::size_t{16}}) {
      const auto options = this->options(term);
      const Scan first = repetition(0), later = repetition(1, second);
      const Reconstruction all = reconstruct(joined(first, later), options, ctx_);
      const auto protocol = std::make_shared<Protocol>();
      const Reconstruction one = reconstruct(first, with(options, protocol), ctx_);
      const Reconstruction two = reconstruct(later, with(options, protocol), ctx_);
      // λ of terms that are not quadratic refers to the brightest image if all are reconstructed together, to
      // the first one if they arrive one by one.
      const double most = std::string_view(term) == "tv:0.01" ? 1e-3 : 1e-6;
      EXPECT_LT(difference(one.series.images[0], all.series.images[0]), most) << term;
      EXPECT_LT(difference(two.series.images[0], all.series.images[1]), most)
          << term << " from spoke " << second;
      EXPECT_GT(difference(reconstruct(later, options, ctx_).series.images[0], all.series.images[1]), most)
          << "with maps of its own it is another image";
      EXPECT_EQ(two.report.transform.error_measured, one.report.transform.error_measured);
      if (options.solve.automatic) {
        EXPECT_EQ(two.report.solution.expectation->expected.error,
                  all.report.solution.expectation->expected.error);
      }
    }
  }
}

TEST_F(OneProtocol, EstimatesMapsAnewWhereASliceHasMoved) {
  const auto protocol = std::make_shared<Protocol>();
  reconstruct(repetition(0), with(options(), protocol), ctx_);
  Scan moved = repetition(1);
  for (Readout& readout : moved.readouts) readout.header.position[2] += 10;
  const Reconstruction alone = reconstruct(moved, options(), ctx_);
  const Reconstruction after = reconstruct(moved, with(options(), protocol), ctx_);
  EXPECT_LT(difference(after.series.images[0], alone.series.images[0]), 1e-6);
}

TEST_F(OneProtocol, BeginsAnewWithAnotherMatrix) {
  const auto protocol = std::make_shared<Protocol>();
  reconstruct(repetition(0), with(options(), protocol), ctx_);
  ReconstructOptions smaller = options();
  smaller.prepare.grid.matrix = {24};
  const Reconstruction alone = reconstruct(repetition(1), smaller, ctx_);
  const Reconstruction after = reconstruct(repetition(1), with(smaller, protocol), ctx_);
  EXPECT_LT(difference(after.series.images[0], alone.series.images[0]), 1e-6);
}

TEST_F(OneProtocol, GoesOnAfterAScanThatCannotBeReconstructed) {
  const auto protocol = std::make_shared<Protocol>();
  const Reconstruction first = reconstruct(repetition(0), with(options(), protocol), ctx_);
  Scan broken = repetition(1);
  broken.data[broken.readouts.back().data_offset] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(reconstruct(broken, with(options(), protocol), ctx_), Error);
  const Reconstruction again = reconstruct(repetition(0), with(options(), protocol), ctx_);
  EXPECT_LT(difference(again.series.images[0], first.series.images[0]), 1e-6);
}

}  // namespace
}  // namespace larmor
