// Maps of several slices are estimated concurrently, with the same results.
#include "device_cases.hpp"
#include "mri/reconstruct/ranks/rank_cases.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <memory>
#include <string>

namespace larmor::test {
namespace {

// Except for the memory estimate, which depends on the number of threads.
class Notes final : public Reporter {
 public:
  void note(const std::string& message) override {
    if (!message.starts_with("memory")) text += message + "\n";
  }
  void warning(const std::string& message) override { text += "warning: " + message + "\n"; }
  std::string text;
};

template <typename Case>
class SlicesSideBySide : public OnDevice<Case> {};
TYPED_TEST_SUITE(SlicesSideBySide, FloatCases, CaseNames);

TYPED_TEST(SlicesSideBySide, GiveTheBitsOfOneAfterTheOther) {
  ReconstructOptions options;
  options.solve.iterations = 3;
  std::string said[2];
  Reconstruction results[2];
  for (const int several : {0, 1}) {
    const auto notes = std::make_shared<Notes>();
    Context ctx(this->device(), {.threads = several ? 5 : 1, .deterministic = true, .reporter = notes});
    results[several] = reconstruct(five_slices(), options, ctx);
    said[several] = notes->text;
  }
  EXPECT_EQ(said[0], said[1]);
  const auto &alone = results[0].series.images, &together = results[1].series.images;
  ASSERT_EQ(alone.size(), 5U);
  ASSERT_EQ(together.size(), 5U);
  for (std::size_t i = 0; i < alone.size(); ++i)
    for (Index p = 0; p < alone[i].pixels.size(); ++p)
      ASSERT_EQ(alone[i].pixels[p], together[i].pixels[p]) << "image " << i << ", pixel " << p;
}

TYPED_TEST(SlicesSideBySide, SayWhatIsWrongWithOne) {
  Scan scan = five_slices();
  for (const Readout& readout : scan.readouts)
    if (readout.header.counters.slice == 3)
      std::fill_n(&scan.data[readout.data_offset],
                  std::size_t{readout.header.samples} * readout.header.active_channels,
                  std::complex<float>{});
  ReconstructOptions options;
  options.solve.iterations = 1;
  std::string wrong[2];
  for (const int several : {0, 1}) {
    Context ctx(this->device(), {.threads = several ? 5 : 1, .deterministic = true});
    try {
      reconstruct(scan, options, ctx);
    } catch (const Error& error) {
      wrong[several] = error.what();
    }
  }
  EXPECT_EQ(wrong[0], wrong[1]);
  EXPECT_NE(wrong[0].find("all zero"), std::string::npos) << wrong[0];
}

}  // namespace
}  // namespace larmor::test
