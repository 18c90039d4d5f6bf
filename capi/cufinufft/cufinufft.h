/* Larmor's transforms behind the names, types and numbers of cuFINUFFT 2.5's C interface, for programs that
 * were written for it: liblarmor_cufinufft.
 *
 * Points, values and modes are arrays of the device gpu_device_id. Points are in radians, of types 1 and 2
 * periodic with 2 pi; sums are not scaled; iflag >= 0 means exp(+i ...), otherwise exp(-i ...). Arrays have x
 * fastest and the batch slowest. setpts copies the points and returns when they are not needed any more.
 * execute begins when gpu_stream has done what it was given before, and what gpu_stream is given afterwards
 * waits for it; the program itself does not. One thread at a time works on a device, others wait.
 *
 * Honoured options: gpu_device_id, gpu_stream, modeord, upsampfac (a wish: where the tolerance cannot be had
 * with it, another is taken). The options of how cuFINUFFT spreads are ignored; gpu_spreadinterponly is
 * refused (21). Nothing is printed.
 *
 * Return values: 0 done; 1 done, but the tolerance is smaller than this precision gives (1e-6, in double
 * 1e-12); 2 grid or memory too large; 7 or 8 upsampfac; 9 number of transforms; 10 type; 11 no memory; 12
 * dimension; 14 number of modes; 15 no such device; 16 no plan, or no points; 17 gpu_method; 20 number of
 * points; 21 another argument; 25 anything else.
 */
#ifndef CUFINUFFT_H
#define CUFINUFFT_H

#include <cuComplex.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* The members have the order of cuFINUFFT 2.5. */
typedef struct cufinufft_opts {
  double upsampfac; /* 0: chosen */
  int gpu_method, gpu_sort;
  int gpu_binsizex, gpu_binsizey, gpu_binsizez;
  int gpu_obinsizex, gpu_obinsizey, gpu_obinsizez;
  int gpu_maxsubprobsize, gpu_kerevalmeth;
  int gpu_spreadinterponly; /* must be 0 */
  int gpu_maxbatchsize;
  int gpu_device_id;
  void* gpu_stream; /* a cudaStream_t; NULL: the default one */
  int modeord;      /* 0: from -N/2 upwards; 1: FFT order */
  int gpu_np, debug;
} cufinufft_opts;

typedef struct cufinufft_plan_s* cufinufft_plan;
typedef struct cufinufft_fplan_s* cufinufftf_plan;

void cufinufft_default_opts(cufinufft_opts* opts);

/* n_modes: dim numbers, not read for type 3. opts may be NULL. */
int cufinufft_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int ntr, double eps,
                       cufinufft_plan* plan, cufinufft_opts* opts);
int cufinufftf_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int ntr, float eps,
                        cufinufftf_plan* plan, cufinufft_opts* opts);
/* N, s, t and u: frequencies of type 3, otherwise not read; coordinates beyond dim are not read either. */
int cufinufft_setpts(cufinufft_plan plan, int64_t M, double* x, double* y, double* z, int N, double* s,
                     double* t, double* u);
int cufinufftf_setpts(cufinufftf_plan plan, int64_t M, float* x, float* y, float* z, int N, float* s,
                      float* t, float* u);
/* Type 1: c -> f; type 2: f -> c; type 3: c -> f. */
int cufinufft_execute(cufinufft_plan plan, cuDoubleComplex* c, cuDoubleComplex* f);
int cufinufftf_execute(cufinufftf_plan plan, cuFloatComplex* c, cuFloatComplex* f);
int cufinufft_destroy(cufinufft_plan plan);
int cufinufftf_destroy(cufinufftf_plan plan);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
