#include "error_of.hpp"
#include "listener.hpp"

#include <larmor/core/math/given_numbers.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <limits>

namespace larmor::test {
namespace {

using testing::HasSubstr;

template <typename T>
std::string fault(const Shape& shape, Index element, T value, T others) {
  auto numbers = filled<T>(shape, others);
  numbers[element] = value;
  return error_of([&] { require_comparable<T>("weights", numbers); });
}

TEST(GivenNumbers, ElementAndValueAreNamed) {
  using C = std::complex<float>;
  EXPECT_EQ(element_text({2, 3, 4}, 23), "[1, 2, 3]");
  EXPECT_THAT(fault<double>({3, 4}, 6, std::numeric_limits<double>::quiet_NaN(), 1),
              HasSubstr("weights: nan at [1, 2], expected finite"));
  EXPECT_THAT(fault<float>({3, 4}, 11, std::numeric_limits<float>::infinity(), 1),
              HasSubstr("inf at [2, 3]"));
  EXPECT_THAT(fault<C>({4}, 0, C(0, -std::numeric_limits<float>::infinity()), 1), HasSubstr("0-infi at [0]"));
  EXPECT_THAT(fault<float>({3, 4}, 1, 3e38F, 1),
              HasSubstr("up to 3e+38, at [0, 1], expected 1e-10 to 1e+15"));
  EXPECT_THAT(fault<double>({3, 4}, 1, 1e-11, 1e-12), HasSubstr("up to 1e-11, at [0, 1]"));
}

TEST(GivenNumbers, OneBesideWhichTheOthersVanishIsNamed) {
  EXPECT_THAT(fault<double>({3, 4}, 5, -1e9, 2),
              HasSubstr("-1e+09 at [1, 1], but the mean magnitude of the others is only 2"));
  EXPECT_THAT(fault<float>({100}, 99, 1e3F, 1e-5F), HasSubstr("[99]"));
  EXPECT_THAT(fault<std::complex<double>>({8}, 2, {0, 1e8}, 1), HasSubstr("0+1e+08i at [2]"));
}

template <typename T>
std::string warned(Index large, T value, T others) {
  auto numbers = filled<T>({10}, others);
  for (Index i = 0; i < large; ++i) numbers[9 - i] = value;
  test::Listener listener;
  warn_of_vanishing<T>("weights", numbers, listener);
  return listener.warnings;
}

TEST(GivenNumbers, GroupsBesideWhichOthersVanishAreWarnedOf) {
  using C = std::complex<float>;
  for (const Index large : {1, 4, 9}) {
    EXPECT_THAT(
        warned<double>(large, 1e15, 1),
        HasSubstr("weights: numbers below 1.2e+08 vanish in single precision beside the largest, 1e+15"));
    EXPECT_THAT(warned<C>(large, {0, 1}, 1e-8F), HasSubstr("below 1.2e-07"));
    EXPECT_EQ(warned<double>(large, 1e15, 0), "");
    EXPECT_EQ(warned<double>(large, 1, 1e-6), "");
  }
  EXPECT_EQ(warned<double>(10, 0, 0), "");
}

TEST(GivenNumbers, SmallAndLargeOnesOfOneScaleAreSound) {
  EXPECT_EQ(fault<double>({3, 4}, 5, 1e6, 1), "");
  EXPECT_EQ(fault<double>({3, 4}, 5, 1e12, 0), "") << "a single number that is not 0";
  EXPECT_EQ(fault<float>({3, 4}, 5, 0, 0), "");
  EXPECT_EQ(fault<std::complex<float>>({3, 4}, 5, 1e14F, 1e14F), "");
}

}  // namespace
}  // namespace larmor::test
