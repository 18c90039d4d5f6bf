#include <larmor/capi/finufft/finufft.h>
#include <larmor/capi/finufft/plan.hpp>

using namespace larmor;
using finufft::guarded;

// The names of FINUFFT's C interface, once for each precision.

struct finufft_plan_s : finufft::Plan<double> {
  using Plan::Plan;
};
struct finufftf_plan_s : finufft::Plan<float> {
  using Plan::Plan;
};

namespace {

// What FINUFFT's options may hold.
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

/// What one simple function is told.
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
    const int failure = plan.set_points(call.points, call.x, call.frequencies, call.s);
    if (failure != finufft::done) return failure;
    // Whichever of the two is written, the caller gave it to be written.
    const int result =
        plan.execute(const_cast<std::complex<T>*>(call.c), const_cast<std::complex<T>*>(call.f), false);
    return result == finufft::done ? plan.code() : result;
  });
}

}  // namespace

void finufft_default_opts(finufft_opts* o) {
  if (o != nullptr) *o = default_options();
}

int finufft_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, double tol,
                     finufft_plan* plan, const finufft_opts* o) {
  return make_plan(type, dim, n_modes, iflag, n_transf, tol, plan, o);
}

int finufft_setpts(finufft_plan plan, int64_t M, const double* x, const double* y, const double* z, int64_t N,
                   const double* s, const double* t, const double* u) {
  return set_points(plan, M, x, y, z, N, s, t, u);
}

int finufft_execute(finufft_plan plan, finufft_complex* c, finufft_complex* f) {
  return execute(plan, c, f, false);
}

int finufft_execute_adjoint(finufft_plan plan, finufft_complex* c, finufft_complex* f) {
  return execute(plan, c, f, true);
}

int finufft_destroy(finufft_plan plan) {
  return destroy(plan);
}

int finufft1d1(int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps, int64_t ms,
               finufft_complex* fk, const finufft_opts* o) {
  return once<double>({1, 1, 1, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufft1d1many(int n, int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps,
                   int64_t ms, finufft_complex* fk, const finufft_opts* o) {
  return once<double>({1, 1, n, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufft1d2(int64_t nj, const double* xj, finufft_complex* cj, int iflag, double eps, int64_t ms,
               const finufft_complex* fk, const finufft_opts* o) {
  return once<double>({2, 1, 1, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufft1d2many(int n, int64_t nj, const double* xj, finufft_complex* cj, int iflag, double eps,
                   int64_t ms, const finufft_complex* fk, const finufft_opts* o) {
  return once<double>({2, 1, n, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufft1d3(int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps, int64_t nk,
               const double* s, finufft_complex* fk, const finufft_opts* o) {
  return once<double>({3, 1, 1, nj, {xj}, cj, iflag, eps, {}, nk, {s}, fk, o});
}

int finufft1d3many(int n, int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps,
                   int64_t nk, const double* s, finufft_complex* fk, const finufft_opts* o) {
  return once<double>({3, 1, n, nj, {xj}, cj, iflag, eps, {}, nk, {s}, fk, o});
}

int finufft2d1(int64_t nj, const double* xj, const double* yj, const finufft_complex* cj, int iflag,
               double eps, int64_t ms, int64_t mt, finufft_complex* fk, const finufft_opts* o) {
  return once<double>({1, 2, 1, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufft2d1many(int n, int64_t nj, const double* xj, const double* yj, const finufft_complex* cj,
                   int iflag, double eps, int64_t ms, int64_t mt, finufft_complex* fk,
                   const finufft_opts* o) {
  return once<double>({1, 2, n, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufft2d2(int64_t nj, const double* xj, const double* yj, finufft_complex* cj, int iflag, double eps,
               int64_t ms, int64_t mt, const finufft_complex* fk, const finufft_opts* o) {
  return once<double>({2, 2, 1, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufft2d2many(int n, int64_t nj, const double* xj, const double* yj, finufft_complex* cj, int iflag,
                   double eps, int64_t ms, int64_t mt, const finufft_complex* fk, const finufft_opts* o) {
  return once<double>({2, 2, n, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufft2d3(int64_t nj, const double* xj, const double* yj, const finufft_complex* cj, int iflag,
               double eps, int64_t nk, const double* s, const double* t, finufft_complex* fk,
               const finufft_opts* o) {
  return once<double>({3, 2, 1, nj, {xj, yj}, cj, iflag, eps, {}, nk, {s, t}, fk, o});
}

int finufft2d3many(int n, int64_t nj, const double* xj, const double* yj, const finufft_complex* cj,
                   int iflag, double eps, int64_t nk, const double* s, const double* t, finufft_complex* fk,
                   const finufft_opts* o) {
  return once<double>({3, 2, n, nj, {xj, yj}, cj, iflag, eps, {}, nk, {s, t}, fk, o});
}

int finufft3d1(int64_t nj, const double* xj, const double* yj, const double* zj, const finufft_complex* cj,
               int iflag, double eps, int64_t ms, int64_t mt, int64_t mu, finufft_complex* fk,
               const finufft_opts* o) {
  return once<double>({1, 3, 1, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufft3d1many(int n, int64_t nj, const double* xj, const double* yj, const double* zj,
                   const finufft_complex* cj, int iflag, double eps, int64_t ms, int64_t mt, int64_t mu,
                   finufft_complex* fk, const finufft_opts* o) {
  return once<double>({1, 3, n, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufft3d2(int64_t nj, const double* xj, const double* yj, const double* zj, finufft_complex* cj,
               int iflag, double eps, int64_t ms, int64_t mt, int64_t mu, const finufft_complex* fk,
               const finufft_opts* o) {
  return once<double>({2, 3, 1, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufft3d2many(int n, int64_t nj, const double* xj, const double* yj, const double* zj,
                   finufft_complex* cj, int iflag, double eps, int64_t ms, int64_t mt, int64_t mu,
                   const finufft_complex* fk, const finufft_opts* o) {
  return once<double>({2, 3, n, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufft3d3(int64_t nj, const double* xj, const double* yj, const double* zj, const finufft_complex* cj,
               int iflag, double eps, int64_t nk, const double* s, const double* t, const double* u,
               finufft_complex* fk, const finufft_opts* o) {
  return once<double>({3, 3, 1, nj, {xj, yj, zj}, cj, iflag, eps, {}, nk, {s, t, u}, fk, o});
}

int finufft3d3many(int n, int64_t nj, const double* xj, const double* yj, const double* zj,
                   const finufft_complex* cj, int iflag, double eps, int64_t nk, const double* s,
                   const double* t, const double* u, finufft_complex* fk, const finufft_opts* o) {
  return once<double>({3, 3, n, nj, {xj, yj, zj}, cj, iflag, eps, {}, nk, {s, t, u}, fk, o});
}

void finufftf_default_opts(finufft_opts* o) {
  if (o != nullptr) *o = default_options();
}

int finufftf_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, float tol,
                      finufftf_plan* plan, const finufft_opts* o) {
  return make_plan(type, dim, n_modes, iflag, n_transf, tol, plan, o);
}

int finufftf_setpts(finufftf_plan plan, int64_t M, const float* x, const float* y, const float* z, int64_t N,
                    const float* s, const float* t, const float* u) {
  return set_points(plan, M, x, y, z, N, s, t, u);
}

int finufftf_execute(finufftf_plan plan, finufftf_complex* c, finufftf_complex* f) {
  return execute(plan, c, f, false);
}

int finufftf_execute_adjoint(finufftf_plan plan, finufftf_complex* c, finufftf_complex* f) {
  return execute(plan, c, f, true);
}

int finufftf_destroy(finufftf_plan plan) {
  return destroy(plan);
}

int finufftf1d1(int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps, int64_t ms,
                finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({1, 1, 1, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufftf1d1many(int n, int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps,
                    int64_t ms, finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({1, 1, n, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufftf1d2(int64_t nj, const float* xj, finufftf_complex* cj, int iflag, float eps, int64_t ms,
                const finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({2, 1, 1, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufftf1d2many(int n, int64_t nj, const float* xj, finufftf_complex* cj, int iflag, float eps,
                    int64_t ms, const finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({2, 1, n, nj, {xj}, cj, iflag, eps, {ms}, 0, {}, fk, o});
}

int finufftf1d3(int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps, int64_t nk,
                const float* s, finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({3, 1, 1, nj, {xj}, cj, iflag, eps, {}, nk, {s}, fk, o});
}

int finufftf1d3many(int n, int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps,
                    int64_t nk, const float* s, finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({3, 1, n, nj, {xj}, cj, iflag, eps, {}, nk, {s}, fk, o});
}

int finufftf2d1(int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj, int iflag,
                float eps, int64_t ms, int64_t mt, finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({1, 2, 1, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufftf2d1many(int n, int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj,
                    int iflag, float eps, int64_t ms, int64_t mt, finufftf_complex* fk,
                    const finufft_opts* o) {
  return once<float>({1, 2, n, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufftf2d2(int64_t nj, const float* xj, const float* yj, finufftf_complex* cj, int iflag, float eps,
                int64_t ms, int64_t mt, const finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({2, 2, 1, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufftf2d2many(int n, int64_t nj, const float* xj, const float* yj, finufftf_complex* cj, int iflag,
                    float eps, int64_t ms, int64_t mt, const finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({2, 2, n, nj, {xj, yj}, cj, iflag, eps, {ms, mt}, 0, {}, fk, o});
}

int finufftf2d3(int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj, int iflag,
                float eps, int64_t nk, const float* s, const float* t, finufftf_complex* fk,
                const finufft_opts* o) {
  return once<float>({3, 2, 1, nj, {xj, yj}, cj, iflag, eps, {}, nk, {s, t}, fk, o});
}

int finufftf2d3many(int n, int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj,
                    int iflag, float eps, int64_t nk, const float* s, const float* t, finufftf_complex* fk,
                    const finufft_opts* o) {
  return once<float>({3, 2, n, nj, {xj, yj}, cj, iflag, eps, {}, nk, {s, t}, fk, o});
}

int finufftf3d1(int64_t nj, const float* xj, const float* yj, const float* zj, const finufftf_complex* cj,
                int iflag, float eps, int64_t ms, int64_t mt, int64_t mu, finufftf_complex* fk,
                const finufft_opts* o) {
  return once<float>({1, 3, 1, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufftf3d1many(int n, int64_t nj, const float* xj, const float* yj, const float* zj,
                    const finufftf_complex* cj, int iflag, float eps, int64_t ms, int64_t mt, int64_t mu,
                    finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({1, 3, n, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufftf3d2(int64_t nj, const float* xj, const float* yj, const float* zj, finufftf_complex* cj,
                int iflag, float eps, int64_t ms, int64_t mt, int64_t mu, const finufftf_complex* fk,
                const finufft_opts* o) {
  return once<float>({2, 3, 1, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufftf3d2many(int n, int64_t nj, const float* xj, const float* yj, const float* zj,
                    finufftf_complex* cj, int iflag, float eps, int64_t ms, int64_t mt, int64_t mu,
                    const finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({2, 3, n, nj, {xj, yj, zj}, cj, iflag, eps, {ms, mt, mu}, 0, {}, fk, o});
}

int finufftf3d3(int64_t nj, const float* xj, const float* yj, const float* zj, const finufftf_complex* cj,
                int iflag, float eps, int64_t nk, const float* s, const float* t, const float* u,
                finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({3, 3, 1, nj, {xj, yj, zj}, cj, iflag, eps, {}, nk, {s, t, u}, fk, o});
}

int finufftf3d3many(int n, int64_t nj, const float* xj, const float* yj, const float* zj,
                    const finufftf_complex* cj, int iflag, float eps, int64_t nk, const float* s,
                    const float* t, const float* u, finufftf_complex* fk, const finufft_opts* o) {
  return once<float>({3, 3, n, nj, {xj, yj, zj}, cj, iflag, eps, {}, nk, {s, t, u}, fk, o});
}
