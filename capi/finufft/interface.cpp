#include <larmor/capi/finufft/finufft.h>
#include <larmor/capi/finufft/plan.hpp>

#include <algorithm>

using namespace larmor;
using finufft::guarded;

// FINUFFT's C interface: its functions are in functions.inc, once for each precision.

struct finufft_plan_s : finufft::Plan<double> {
  using Plan::Plan;
};
struct finufftf_plan_s : finufft::Plan<float> {
  using Plan::Plan;
};

namespace {

// Possible values of FINUFFT's options.
constexpr int last_spread_thread = 2, last_formula = 8;

void check(const finufft_opts& options) {
  if (options.spreadinterponly != 0) throw finufft::bad_argument;
  if (options.modeord != 0 && options.modeord != 1) throw finufft::bad_argument;
  if (options.nthreads < 0) throw finufft::bad_threads;
  if (options.spread_thread < 0 || options.spread_thread > last_spread_thread)
    throw finufft::bad_spread_thread;
  if (options.spread_kerformula < 0 || options.spread_kerformula > last_formula) throw finufft::bad_formula;
  if ((options.fftw_lock_fun == nullptr) != (options.fftw_unlock_fun == nullptr)) throw finufft::one_lock;
  if (options.upsampfac != 0 && !(options.upsampfac > 1)) throw finufft::bad_upsampling;
}

finufft_opts default_options() {
  finufft_opts options{};
  options.showwarn = 1;
  options.fftw = 64;  // FFTW_ESTIMATE
  options.spread_sort = 2;
  options.spread_kerevalmeth = 1;
  options.spread_kerpad = 1;
  options.spread_nthr_atomic = -1;
  return options;
}

finufft_opts options_of(const finufft_opts* given) {
  const finufft_opts options = given == nullptr ? default_options() : *given;
  check(options);
  return options;
}

template <typename Handle, typename T>
int make_plan(int type, int dim, const int64_t* modes, int iflag, int count, T tolerance, Handle** plan,
              const finufft_opts* options) {
  return guarded([&] {
    if (plan == nullptr) return int{finufft::bad_argument};
    *plan = nullptr;
    const finufft_opts given = options_of(options);
    *plan = new Handle({type, dim, modes, iflag, count, tolerance, given.modeord == 1, given.upsampfac, true},
                       finufft::workshop(Device::cpu(), given.nthreads));
    return (*plan)->code();
  });
}

template <typename Handle, typename T>
int set_points(Handle* plan, int64_t points, const T* x, const T* y, const T* z, int64_t frequencies,
               const T* s, const T* t, const T* u) {
  return guarded([&] {
    if (plan == nullptr) return int{finufft::no_plan};
    const T* const at[] = {x, y, z};
    const T* const to[] = {s, t, u};
    return plan->set_points(points, at, frequencies, to);
  });
}

template <typename Handle, typename C>
int execute(Handle* plan, C* c, C* f, bool adjoint) {
  return guarded([&] { return plan == nullptr ? int{finufft::no_plan} : plan->execute(c, f, adjoint); });
}

template <typename Handle>
int destroy(Handle* plan) {
  if (plan == nullptr) return 1;
  delete plan;
  return finufft::done;
}

/// Arguments of a simple function.
template <typename T>
struct Call {
  int type, dim, count;
  int64_t points;
  const T* x[3];
  const std::complex<T>* c;
  int iflag;
  T tolerance;
  int64_t modes[3];
  int64_t frequencies;
  const T* s[3];
  const std::complex<T>* f;
  const finufft_opts* options;
};

template <typename T>
int once(const Call<T>& call) {
  return guarded([&] {
    const finufft_opts given = options_of(call.options);
    finufft::Plan<T> plan({call.type, call.dim, call.modes, call.iflag, call.count, call.tolerance,
                           given.modeord == 1, given.upsampfac, false},
                          finufft::workshop(Device::cpu(), given.nthreads));
    const int set = plan.set_points(call.points, call.x, call.frequencies, call.s);
    if (set > finufft::tolerance_too_small) return set;
    // The caller provides whichever of the two is written as output.
    const int result =
        plan.execute(const_cast<std::complex<T>*>(call.c), const_cast<std::complex<T>*>(call.f), false);
    return std::max({result, set, plan.code()});
  });
}

}  // namespace

#define LARMOR_NAME(rest) finufft##rest
#define LARMOR_REAL double
#include <larmor/capi/finufft/functions.inc>
#undef LARMOR_NAME
#undef LARMOR_REAL

#define LARMOR_NAME(rest) finufftf##rest
#define LARMOR_REAL float
#include <larmor/capi/finufft/functions.inc>
#undef LARMOR_NAME
#undef LARMOR_REAL
