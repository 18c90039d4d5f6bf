#include "device_cases.hpp"

#include <larmor/core/data/host_vector.hpp>
#include <larmor/core/vectors/lane.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace larmor::test {
namespace {

using C = std::complex<float>;

class Said final : public Reporter {
 public:
  void note(const std::string& message) override { text += "note " + message + "\n"; }
  void warning(const std::string& message) override { text += "warning " + message + "\n"; }
  std::string text;
};

TEST(LaterReporter, TellsInOrder) {
  LaterReporter later;
  later.note("one");
  later.warning("two");
  later.note("three");
  Said said;
  later.tell(said);
  EXPECT_EQ(said.text, "note one\nwarning two\nnote three\n");
}

template <typename Case>
class Lanes : public OnDevice<Case> {};
TYPED_TEST_SUITE(Lanes, FloatCases, CaseNames);

// Several threads compute sums 1 + 2 + … on one device, and the last one adds them.
TYPED_TEST(Lanes, WorkSideBySide) {
  constexpr Index n = 1 << 16;
  constexpr std::size_t count = 6;
  std::vector<Array<C>> results(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      Lane lane(this->device(), {.threads = 2});
      Array<C> sum({n}, lane.ctx().device()), step({n}, lane.ctx().device());
      fill<float>(sum, C(0), lane.ctx());
      for (int k = 1; k <= 100; ++k) {
        fill<float>(step, C(static_cast<float>(k)), lane.ctx());
        axpy<float>(static_cast<double>(i), step, sum, lane.ctx());
      }
      lane.ctx().synchronize();
      results[i] = std::move(sum);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < count; ++i) {
    const auto here = moved_to(Device::cpu(), std::move(results[i]));
    const C expected(5050.0F * static_cast<float>(i));
    for (Index j = 0; j < n; j += 1000) EXPECT_EQ(here[j], expected) << i;
  }
}

// Large copies use another path than small ones.
TYPED_TEST(Lanes, LargeArraysComeBackAsTheyWere) {
  for (const Index size : {Index{1} << 20, (Index{3} << 20) + 12345}) {
    Array<C> there({size});
    for (Index i = 0; i < size; ++i) there[i] = C(static_cast<float>(i % 8191), static_cast<float>(i % 127));
    const auto back = copied_to(Device::cpu(), copied_to(this->device(), there));
    Index wrong = 0;
    for (Index i = 0; i < size; ++i) wrong += back[i] == there[i] ? 0 : 1;
    EXPECT_EQ(wrong, 0) << size;
  }
}

TEST(HostVectors, GrowAndKeepTheirValues) {
  HostVector<C> values;
  values.reserve(10);
  for (int i = 0; i < 3; ++i) values.push_back(C(static_cast<float>(i)));
  values.resize(3'000'000);
  for (std::size_t i = 3; i < values.size(); ++i) values[i] = C(static_cast<float>(i % 1000));
  for (std::size_t i = 0; i < values.size(); i += 997)
    EXPECT_EQ(values[i], C(static_cast<float>(i < 3 ? i : i % 1000)));
  const HostVector<C> copy = values;
  EXPECT_EQ(copy, values);
  values.resize(5, C(7));
  EXPECT_EQ(values.size(), 5U);
  EXPECT_EQ(values[2], C(2));
}

TEST(HostVectors, RefuseWhatNobodyHas) {
  HostVector<float> values;
  EXPECT_THROW(values.reserve(values.max_size()), std::bad_alloc);
}

}  // namespace
}  // namespace larmor::test
