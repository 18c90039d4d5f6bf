/* Larmor in C: transforms, operators, solvers, and reconstructions of whole scans.
 *
 * Every function that can fail returns a larmor_status; larmor_last_error() says in one line what was found, what was
 * expected and what to do. Nothing is printed, no exception leaves, no process is ended.
 *
 * Arrays are contiguous, row by row: the last extent is the fastest, images are [z, y, x]. Complex numbers are pairs (real,
 * imaginary) of float or double, as C99 and C++ have them. Arrays that operators, transforms and solvers are applied to lie
 * on the device of their context: for CUDA these are device pointers. What they are made of (trajectories, densities, coil
 * maps) lies in host memory and is copied.
 *
 * A handle may be used by several threads: in one context one of them works at a time, the others wait. Handles keep what
 * they need: they may be destroyed in any order. Destroying NULL does nothing.
 */
#ifndef LARMOR_H
#define LARMOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum larmor_status {
  LARMOR_OK = 0,
  LARMOR_INTERNAL = 1,   /* a mistake of ours */
  LARMOR_USAGE = 2,      /* an argument is wrong */
  LARMOR_INPUT = 3,      /* a file or data that cannot be used */
  LARMOR_RESOURCE = 4,   /* not enough memory or disk, or no such device */
  LARMOR_CANCELLED = 130 /* a callback asked to stop */
} larmor_status;

typedef enum larmor_precision { LARMOR_SINGLE = 0, LARMOR_DOUBLE = 1 } larmor_precision;

/* Axes of an array, slowest first. */
#define LARMOR_MAX_RANK 8
typedef struct larmor_shape {
  int32_t rank;
  int64_t extents[LARMOR_MAX_RANK];
} larmor_shape;

/* "0.1.0" of the library that is loaded. */
const char* larmor_version(void);
/* The message of this thread's last failure, until its next call that fails. "" before any. */
const char* larmor_last_error(void);

/* ---- Contexts: where and how work is done ---- */

typedef struct larmor_context larmor_context;

/* Options begin with their size, so that programs and libraries of different versions understand each other:
 * larmor_context_options options = {.struct_size = sizeof options}; zeros stand for defaults. A size of 0
 * is an error, as it was forgotten. */
typedef struct larmor_context_options {
  size_t struct_size;
  const char* device;    /* "cpu" (NULL), "cuda", "cuda:1", "auto" */
  int32_t threads;       /* 0: all processors that this process may use */
  int32_t deterministic; /* 1: the same bits for any number of threads */
  uint64_t memory_limit; /* bytes; 0: what is free */
} larmor_context_options;

/* options: NULL for defaults. */
larmor_status larmor_context_create(const larmor_context_options* options, larmor_context** context);
void larmor_context_destroy(larmor_context* context);
/* The CUDA stream (cudaStream_t) that the context's work goes to; NULL on the CPU. */
larmor_status larmor_context_stream(larmor_context* context, void** stream);
/* Waits until the device has done all that it was given. */
larmor_status larmor_context_synchronize(larmor_context* context);

/* ---- Transforms: plan, set points, execute; unscaled sums of types 1, 2 and 3 ---- */

typedef struct larmor_transform larmor_transform;

typedef struct larmor_transform_options {
  size_t struct_size;
  double tolerance;    /* relative l2 error; 0: 1e-6 */
  int32_t sign;        /* of the exponent: -1 or 1; 0: -1 */
  int32_t fft_order;   /* 0: modes -N/2 ... (N-1)/2; 1: 0 ... -1 */
  int64_t batch;       /* transforms at a time; 0: 1 */
  double oversampling; /* of the grid, 1.15 ... 2.5; 0: chosen */
  int32_t adjoint;     /* 1: larmor_transform_execute_adjoint will be called */
} larmor_transform_options;

/* type 1: points to modes, 2: modes to points, 3: points to points. modes: 1 to 3 extents; of type 3 NULL. options: NULL
 * for defaults. */
larmor_status larmor_transform_create(larmor_context* context, int32_t type, larmor_precision precision,
                                      const larmor_shape* modes, const larmor_transform_options* options,
                                      larmor_transform** transform);
/* points [count, dims], columns x, y, z; in cycles per mode for types 1 and 2. frequencies [frequency_count, dims] of type
 * 3, in the inverse unit; otherwise NULL. Both in host memory, and copied. dims: of type 3; otherwise those of the modes. */
larmor_status larmor_transform_set_points(larmor_transform* transform, int32_t dims, int64_t count, const double* points,
                                          int64_t frequency_count, const double* frequencies);
/* in and out: [batch, points], and [batch, modes] or [batch, frequencies]; they do not overlap. */
larmor_status larmor_transform_execute(larmor_transform* transform, const void* in, void* out);
/* The adjoint: in has the shape of the out of execute, out that of its in. */
larmor_status larmor_transform_execute_adjoint(larmor_transform* transform, const void* in, void* out);
void larmor_transform_destroy(larmor_transform* transform);

/* ---- Operators: y = A x, x = A^H y ---- */

typedef struct larmor_operator larmor_operator;

typedef struct larmor_nufft_options {
  size_t struct_size;
  double tolerance;    /* relative l2 error; 0: 1e-3 */
  int64_t coils;       /* length of a leading axis; 0: there is none */
  double oversampling; /* of the grid, 1.15 ... 2.5; 0: chosen */
  int32_t unscaled;    /* 1: without the factor 1/sqrt(pixels) */
} larmor_nufft_options;

/* s_j = 1/sqrt(pixels) * sum_x rho(x) exp(-2 pi i k_j x), x from -floor(N/2). trajectory [samples, rank of image]:
 * columns x, y, z in cycles per pixel. Density weights are given to the solver. */
larmor_status larmor_nufft_create(larmor_context* context, larmor_precision precision, const larmor_shape* image,
                                  int64_t samples, const double* trajectory,
                                  const larmor_nufft_options* options, larmor_operator** op);
/* Image [z, y, x] to coil images [coils, z, y, x]; maps of the context's precision in host memory, of shape `shape`. */
larmor_status larmor_coil_maps_create(larmor_context* context, larmor_precision precision, const larmor_shape* shape,
                                      const void* maps, larmor_operator** op);

/* An operator of one's own: writes out from in, both in host memory; another return value than 0 is an error. It works in
 * contexts of the CPU. What it calls of the library works with another context. */
typedef int (*larmor_own_function)(void* user, const void* in, void* out);
larmor_status larmor_own_operator_create(larmor_context* context, larmor_precision precision, const larmor_shape* domain,
                                         const larmor_shape* codomain, larmor_own_function apply,
                                         larmor_own_function adjoint, void* user, larmor_operator** op);

/* A B, and A^H. */
larmor_status larmor_product_create(const larmor_operator* a, const larmor_operator* b, larmor_operator** op);
larmor_status larmor_adjoint_create(const larmor_operator* a, larmor_operator** op);
/* A^H A in its fastest known form. */
larmor_status larmor_normal_create(const larmor_operator* a, larmor_operator** op);

/* The shapes of x and of y = A x. */
larmor_status larmor_operator_shapes(const larmor_operator* op, larmor_shape* domain, larmor_shape* codomain);
larmor_status larmor_operator_apply(const larmor_operator* op, const void* x, void* y);
larmor_status larmor_operator_adjoint(const larmor_operator* op, const void* y, void* x);
void larmor_operator_destroy(larmor_operator* op);

/* ---- Solvers of min 1/2 |Ax - y|^2 + sum of terms ---- */

typedef struct larmor_step {
  size_t struct_size;
  int64_t iteration;
  double gradient;  /* relative to that of the data: 0 at the minimum */
  double objective; /* NaN where it was not asked for */
} larmor_step;

/* Called after every iteration on the thread of the caller, with the iterate on the context's device. Another return value
 * than 0 stops the solver, which then returns LARMOR_CANCELLED. */
typedef int (*larmor_step_function)(void* user, const larmor_step* step, const void* x);

typedef struct larmor_solve_options {
  size_t struct_size;
  const char* solver;             /* "cg", "lsmr", "fista", "admm", "pdhg"; NULL: as the terms ask for */
  const char* const* regularizers; /* such as "l2:1e-3" or "wavelet:1e-3:levels=3" */
  int64_t regularizer_count;
  int64_t iterations; /* 0: 30 */
  double tolerance;   /* stop when the gradient falls below; 0: never */
  int32_t space;      /* how many of the last axes are in space; 0: up to three */
  int32_t objective;  /* 1: work it out in every iteration */
  const void* start;  /* first iterate, or NULL: 0 */
  larmor_step_function step;
  void* user;
  const double* weights; /* w_j >= 0 of the samples, in host memory: min 1/2 sum_j w_j |(Ax - y)_j|^2 + terms; NULL: 1 */
  int64_t weight_count;  /* how many: as many as the last axes of the codomain have samples, the same for every coil */
} larmor_solve_options;

/* y of the operator's codomain, x of its domain. options: NULL for 30 conjugate gradients. */
larmor_status larmor_solve(const larmor_operator* op, const void* y, void* x, const larmor_solve_options* options);

/* ---- Scans, and their reconstruction ---- */

typedef struct larmor_scan larmor_scan;
typedef struct larmor_options larmor_options;
typedef struct larmor_images larmor_images;

/* ISMRMRD raw data, read by a process of its own. group: of the file; NULL: the only one. */
larmor_status larmor_scan_read(const char* path, const char* group, larmor_scan** scan);
int64_t larmor_scan_readouts(const larmor_scan* scan);
void larmor_scan_destroy(larmor_scan* scan);

/* The options of `recon run` by name, with '_' for '-': larmor_options_set(options, "regularizer", "wavelet:auto"). Flags
 * are "true" or "false". They serve one reconstruction. */
larmor_status larmor_options_create(larmor_options** options);
larmor_status larmor_options_set(larmor_options* options, const char* name, const char* value);
/* Arrays in the places of files, copied: trajectory, density, maps, field_map, r2star, field_weight, band_phases, bins, basis,
 * dictionary, gradient_response. */
larmor_status larmor_options_set_real(larmor_options* options, const char* name, const larmor_shape* shape,
                                      const double* values);
larmor_status larmor_options_set_complex(larmor_options* options, const char* name, const larmor_shape* shape,
                                         const float* values);
void larmor_options_destroy(larmor_options* options);

/* Called between steps on the thread of the caller. Another return value than 0 stops the reconstruction. */
typedef int (*larmor_progress_function)(void* user, const char* stage, int64_t done, int64_t total);

/* options and progress: NULL for none. */
larmor_status larmor_reconstruct(larmor_context* context, const larmor_scan* scan, larmor_options* options,
                                 larmor_progress_function progress, void* user, larmor_images** images);
int64_t larmor_images_count(const larmor_images* images);
/* Pixels [z, y, x], or [coil, z, y, x] where coils are not combined; they belong to the images. */
larmor_status larmor_images_pixels(const larmor_images* images, int64_t index, larmor_shape* shape, const float** pixels);
/* The report of the reconstruction as JSON; it belongs to the images. */
const char* larmor_images_report(const larmor_images* images);
/* .nii .nii.gz .h5 .png .npy .cfl .dcm, as magnitudes; an existing file is kept unless overwrite is 1. */
larmor_status larmor_images_write(const larmor_images* images, const char* path, int32_t overwrite);
void larmor_images_destroy(larmor_images* images);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
