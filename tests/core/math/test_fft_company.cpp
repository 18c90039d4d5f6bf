// Other code in the process plans with FFTW for several threads.
#include <larmor/core/math/fft.hpp>

#include <dlfcn.h>
#include <fftw3.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

namespace larmor::test {
namespace {

double seconds(int whose) {
  rusage used{};
  getrusage(whose, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// This thread's share of the processor time of the work.
template <typename Work>
double own_share(const Work& work) {
  work();
  const double all = seconds(RUSAGE_SELF), own = seconds(RUSAGE_THREAD);
  while (seconds(RUSAGE_SELF) - all < 0.2) work();
  return (seconds(RUSAGE_THREAD) - own) / (seconds(RUSAGE_SELF) - all);
}

template <typename T>
struct Names;
template <>
struct Names<float> {
  static constexpr const char *library = "libfftw3f_threads.so.3", *prefix = "fftwf_";
};
template <>
struct Names<double> {
  static constexpr const char *library = "libfftw3_threads.so.3", *prefix = "fftw_";
};

template <typename T>
class FftCompany : public testing::Test {
 protected:
  void SetUp() override {
    library_ = dlopen(Names<T>::library, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) GTEST_SKIP() << Names<T>::library << " is not installed";
  }
  template <typename Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(dlsym(library_, (Names<T>::prefix + name).c_str()));
  }
  void* library_ = nullptr;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FftCompany, Precisions);

TYPED_TEST(FftCompany, DoesNotThreadOurPlans) {
  using C = std::complex<TypeParam>;
  ASSERT_NE(this->template function<int()>("init_threads")(), 0);
  const auto plan_with = this->template function<void(int)>("plan_with_nthreads");
  plan_with(4);
  constexpr Index length = 1100, lines = 96;
  Array<C> in({lines, length}), out({lines, length});
  for (C& value : in) value = 1;

  // The other code's own plan must be threaded, otherwise this test would not detect anything.
  constexpr int n = length;
  double theirs = 0;
  if constexpr (sizeof(TypeParam) == 4) {
    auto* from = reinterpret_cast<fftwf_complex*>(in.data());
    auto* to = reinterpret_cast<fftwf_complex*>(out.data());
    const auto plan = fftwf_plan_many_dft(1, &n, lines, from, nullptr, 1, n, to, nullptr, 1, n, FFTW_FORWARD,
                                          FFTW_ESTIMATE);
    theirs = own_share([&] { fftwf_execute(plan); });
    fftwf_destroy_plan(plan);
  } else {
    auto* from = reinterpret_cast<fftw_complex*>(in.data());
    auto* to = reinterpret_cast<fftw_complex*>(out.data());
    const auto plan =
        fftw_plan_many_dft(1, &n, lines, from, nullptr, 1, n, to, nullptr, 1, n, FFTW_FORWARD, FFTW_ESTIMATE);
    theirs = own_share([&] { fftw_execute(plan); });
    fftw_destroy_plan(plan);
  }
  ASSERT_LT(theirs, 0.7);

  const LineFft<TypeParam> ours(length, lines, FftSign::forward);
  EXPECT_GT(own_share([&] { ours.execute(in.data(), out.data()); }), 0.95);
  EXPECT_EQ(this->template function<int()>("planner_nthreads")(), 4) << "the company's choice is kept";
  plan_with(1);
}

}  // namespace
}  // namespace larmor::test
