/* Larmor's transforms behind the names, types and numbers of FINUFFT 2.5's C interface, for programs that
 * were written for it: liblarmor_finufft.
 *
 * Points are in radians, of types 1 and 2 periodic with 2 pi; sums are not scaled; iflag >= 0 means exp(+i
 * ...), otherwise exp(-i ...). Arrays have x fastest and the batch slowest. modeord 0: modes ascend from
 * -N/2; 1: FFT order. Points are copied by setpts. One thread at a time works in a plan, others wait.
 *
 * Honoured options: modeord, nthreads, upsampfac (a wish: where the tolerance cannot be had with it, another
 * is taken). The options of how FINUFFT spreads are checked and ignored; spreadinterponly is refused (21).
 * The functions of fftw_lock_fun are never called. Nothing is printed.
 *
 * Return values: 0 done; 1 done, but the tolerance is smaller than this precision gives (1e-6, in double
 * 1e-14); 2 grid or memory too large; 7 upsampfac; 9 number of transforms; 10 type; 11 no memory; 12
 * dimension; 13 spread_thread; 16 no plan, or no points; 20 number of points; 21 another argument; 22 one
 * lock function alone; 23 nthreads; 24 spread_kerformula; 25 anything else.
 */
#ifndef FINUFFT_H
#define FINUFFT_H

#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
#include <complex>
typedef std::complex<double> finufft_complex;
typedef std::complex<float> finufftf_complex;
extern "C" {
#else
#include <complex.h>
typedef double complex finufft_complex;
typedef float complex finufftf_complex;
#endif

typedef struct finufft_opts {
  int modeord;
  int spreadinterponly;
  int debug;
  int spread_debug;
  int showwarn;
  int nthreads;
  int fftw;
  int spread_sort;
  int spread_kerevalmeth;
  int spread_kerpad;
  double upsampfac;
  int spread_thread;
  int maxbatchsize;
  int spread_nthr_atomic;
  int spread_max_sp_size;
  int spread_kerformula;
  void (*fftw_lock_fun)(void*);
  void (*fftw_unlock_fun)(void*);
  void* fftw_lock_data;
} finufft_opts;

typedef struct finufft_plan_s* finufft_plan;
typedef struct finufftf_plan_s* finufftf_plan;

/* Plan, set points, execute. A plan of type 3 does not read n_modes; coordinates beyond its dimension are not
 * read. c are the values at the points, f those of the modes or frequencies, whichever is written. */
void finufft_default_opts(finufft_opts* o);
int finufft_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, double tol,
                     finufft_plan* plan, const finufft_opts* o);
int finufft_setpts(finufft_plan plan, int64_t M, const double* x, const double* y, const double* z, int64_t N,
                   const double* s, const double* t, const double* u);
int finufft_execute(finufft_plan plan, finufft_complex* c, finufft_complex* f);
int finufft_execute_adjoint(finufft_plan plan, finufft_complex* c, finufft_complex* f);
int finufft_destroy(finufft_plan plan);
void finufftf_default_opts(finufft_opts* o);
int finufftf_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int n_transf, float tol,
                      finufftf_plan* plan, const finufft_opts* o);
int finufftf_setpts(finufftf_plan plan, int64_t M, const float* x, const float* y, const float* z, int64_t N,
                    const float* s, const float* t, const float* u);
int finufftf_execute(finufftf_plan plan, finufftf_complex* c, finufftf_complex* f);
int finufftf_execute_adjoint(finufftf_plan plan, finufftf_complex* c, finufftf_complex* f);
int finufftf_destroy(finufftf_plan plan);

/* Plan, set points and execute in one call, each also for n vectors at a time. */
int finufft1d1(int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps, int64_t ms,
               finufft_complex* fk, const finufft_opts* o);
int finufft1d1many(int n, int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps,
                   int64_t ms, finufft_complex* fk, const finufft_opts* o);
int finufft1d2(int64_t nj, const double* xj, finufft_complex* cj, int iflag, double eps, int64_t ms,
               const finufft_complex* fk, const finufft_opts* o);
int finufft1d2many(int n, int64_t nj, const double* xj, finufft_complex* cj, int iflag, double eps,
                   int64_t ms, const finufft_complex* fk, const finufft_opts* o);
int finufft1d3(int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps, int64_t nk,
               const double* s, finufft_complex* fk, const finufft_opts* o);
int finufft1d3many(int n, int64_t nj, const double* xj, const finufft_complex* cj, int iflag, double eps,
                   int64_t nk, const double* s, finufft_complex* fk, const finufft_opts* o);
int finufft2d1(int64_t nj, const double* xj, const double* yj, const finufft_complex* cj, int iflag,
               double eps, int64_t ms, int64_t mt, finufft_complex* fk, const finufft_opts* o);
int finufft2d1many(int n, int64_t nj, const double* xj, const double* yj, const finufft_complex* cj,
                   int iflag, double eps, int64_t ms, int64_t mt, finufft_complex* fk, const finufft_opts* o);
int finufft2d2(int64_t nj, const double* xj, const double* yj, finufft_complex* cj, int iflag, double eps,
               int64_t ms, int64_t mt, const finufft_complex* fk, const finufft_opts* o);
int finufft2d2many(int n, int64_t nj, const double* xj, const double* yj, finufft_complex* cj, int iflag,
                   double eps, int64_t ms, int64_t mt, const finufft_complex* fk, const finufft_opts* o);
int finufft2d3(int64_t nj, const double* xj, const double* yj, const finufft_complex* cj, int iflag,
               double eps, int64_t nk, const double* s, const double* t, finufft_complex* fk,
               const finufft_opts* o);
int finufft2d3many(int n, int64_t nj, const double* xj, const double* yj, const finufft_complex* cj,
                   int iflag, double eps, int64_t nk, const double* s, const double* t, finufft_complex* fk,
                   const finufft_opts* o);
int finufft3d1(int64_t nj, const double* xj, const double* yj, const double* zj, const finufft_complex* cj,
               int iflag, double eps, int64_t ms, int64_t mt, int64_t mu, finufft_complex* fk,
               const finufft_opts* o);
int finufft3d1many(int n, int64_t nj, const double* xj, const double* yj, const double* zj,
                   const finufft_complex* cj, int iflag, double eps, int64_t ms, int64_t mt, int64_t mu,
                   finufft_complex* fk, const finufft_opts* o);
int finufft3d2(int64_t nj, const double* xj, const double* yj, const double* zj, finufft_complex* cj,
               int iflag, double eps, int64_t ms, int64_t mt, int64_t mu, const finufft_complex* fk,
               const finufft_opts* o);
int finufft3d2many(int n, int64_t nj, const double* xj, const double* yj, const double* zj,
                   finufft_complex* cj, int iflag, double eps, int64_t ms, int64_t mt, int64_t mu,
                   const finufft_complex* fk, const finufft_opts* o);
int finufft3d3(int64_t nj, const double* xj, const double* yj, const double* zj, const finufft_complex* cj,
               int iflag, double eps, int64_t nk, const double* s, const double* t, const double* u,
               finufft_complex* fk, const finufft_opts* o);
int finufft3d3many(int n, int64_t nj, const double* xj, const double* yj, const double* zj,
                   const finufft_complex* cj, int iflag, double eps, int64_t nk, const double* s,
                   const double* t, const double* u, finufft_complex* fk, const finufft_opts* o);
int finufftf1d1(int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps, int64_t ms,
                finufftf_complex* fk, const finufft_opts* o);
int finufftf1d1many(int n, int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps,
                    int64_t ms, finufftf_complex* fk, const finufft_opts* o);
int finufftf1d2(int64_t nj, const float* xj, finufftf_complex* cj, int iflag, float eps, int64_t ms,
                const finufftf_complex* fk, const finufft_opts* o);
int finufftf1d2many(int n, int64_t nj, const float* xj, finufftf_complex* cj, int iflag, float eps,
                    int64_t ms, const finufftf_complex* fk, const finufft_opts* o);
int finufftf1d3(int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps, int64_t nk,
                const float* s, finufftf_complex* fk, const finufft_opts* o);
int finufftf1d3many(int n, int64_t nj, const float* xj, const finufftf_complex* cj, int iflag, float eps,
                    int64_t nk, const float* s, finufftf_complex* fk, const finufft_opts* o);
int finufftf2d1(int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj, int iflag,
                float eps, int64_t ms, int64_t mt, finufftf_complex* fk, const finufft_opts* o);
int finufftf2d1many(int n, int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj,
                    int iflag, float eps, int64_t ms, int64_t mt, finufftf_complex* fk,
                    const finufft_opts* o);
int finufftf2d2(int64_t nj, const float* xj, const float* yj, finufftf_complex* cj, int iflag, float eps,
                int64_t ms, int64_t mt, const finufftf_complex* fk, const finufft_opts* o);
int finufftf2d2many(int n, int64_t nj, const float* xj, const float* yj, finufftf_complex* cj, int iflag,
                    float eps, int64_t ms, int64_t mt, const finufftf_complex* fk, const finufft_opts* o);
int finufftf2d3(int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj, int iflag,
                float eps, int64_t nk, const float* s, const float* t, finufftf_complex* fk,
                const finufft_opts* o);
int finufftf2d3many(int n, int64_t nj, const float* xj, const float* yj, const finufftf_complex* cj,
                    int iflag, float eps, int64_t nk, const float* s, const float* t, finufftf_complex* fk,
                    const finufft_opts* o);
int finufftf3d1(int64_t nj, const float* xj, const float* yj, const float* zj, const finufftf_complex* cj,
                int iflag, float eps, int64_t ms, int64_t mt, int64_t mu, finufftf_complex* fk,
                const finufft_opts* o);
int finufftf3d1many(int n, int64_t nj, const float* xj, const float* yj, const float* zj,
                    const finufftf_complex* cj, int iflag, float eps, int64_t ms, int64_t mt, int64_t mu,
                    finufftf_complex* fk, const finufft_opts* o);
int finufftf3d2(int64_t nj, const float* xj, const float* yj, const float* zj, finufftf_complex* cj,
                int iflag, float eps, int64_t ms, int64_t mt, int64_t mu, const finufftf_complex* fk,
                const finufft_opts* o);
int finufftf3d2many(int n, int64_t nj, const float* xj, const float* yj, const float* zj,
                    finufftf_complex* cj, int iflag, float eps, int64_t ms, int64_t mt, int64_t mu,
                    const finufftf_complex* fk, const finufft_opts* o);
int finufftf3d3(int64_t nj, const float* xj, const float* yj, const float* zj, const finufftf_complex* cj,
                int iflag, float eps, int64_t nk, const float* s, const float* t, const float* u,
                finufftf_complex* fk, const finufft_opts* o);
int finufftf3d3many(int n, int64_t nj, const float* xj, const float* yj, const float* zj,
                    const finufftf_complex* cj, int iflag, float eps, int64_t nk, const float* s,
                    const float* t, const float* u, finufftf_complex* fk, const finufft_opts* o);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
