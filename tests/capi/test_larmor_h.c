/* larmor.h as a program in C99 uses it: every function once, and what it says when it is used wrongly. */
#include <larmor.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("line %d: %s (last error: %s)\n", line, what, larmor_last_error());
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define OK(call) CHECK((call) == LARMOR_OK)

static int says(const char* text) {
  return strstr(larmor_last_error(), text) != NULL && strchr(larmor_last_error(), '\n') == NULL;
}

/* Numbers that look random, in [-1, 1]. */
static double number(void) {
  static unsigned long state = 12345;
  state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
  return (double)state / 1073741823.5 - 1;
}
static double* numbers(size_t count, double scale) {
  double* values = malloc(count * sizeof *values);
  size_t i;
  for (i = 0; i < count; ++i) values[i] = scale * number();
  return values;
}

/* Relative difference of two complex vectors. */
static double difference(const double* a, const double* b, size_t count) {
  double sum = 0, all = 0;
  size_t i;
  for (i = 0; i < 2 * count; ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    all += b[i] * b[i];
  }
  return sqrt(sum / all);
}

/* out_j = scale * sum over modes of exp(-2 pi i (y k_y + x k_x)), modes from -floor(n/2). */
static void exact(const double* image, int ny, int nx, const double* k, int samples, double scale, double* out) {
  int j, y, x;
  for (j = 0; j < samples; ++j) {
    double re = 0, im = 0;
    for (y = 0; y < ny; ++y)
      for (x = 0; x < nx; ++x) {
        const double angle = -2 * PI * (k[2 * j] * (x - nx / 2) + k[2 * j + 1] * (y - ny / 2));
        const double* v = image + 2 * (y * nx + x);
        re += v[0] * cos(angle) - v[1] * sin(angle);
        im += v[0] * sin(angle) + v[1] * cos(angle);
      }
    out[2 * j] = scale * re;
    out[2 * j + 1] = scale * im;
  }
}

enum { NY = 6, NX = 7, PIXELS = NY * NX, SAMPLES = 90 };

static void test_transforms(larmor_context* context, const double* k) {
  const larmor_shape modes = {2, {NY, NX}};
  larmor_transform_options options = {.struct_size = sizeof options};
  larmor_transform* transform = NULL;
  double *image = numbers(2 * PIXELS, 1), *expected = numbers(2 * SAMPLES, 1), *found = numbers(2 * SAMPLES, 1);
  double* back = numbers(2 * PIXELS, 1);
  double left = 0, right = 0;
  int i;
  options.tolerance = 1e-9;
  options.adjoint = 1;
  exact(image, NY, NX, k, SAMPLES, 1, expected);
  OK(larmor_transform_create(context, 2, LARMOR_DOUBLE, &modes, &options, &transform));
  CHECK(larmor_transform_execute(transform, image, found) == LARMOR_USAGE && says("before set_points"));
  OK(larmor_transform_set_points(transform, 2, SAMPLES, k, 0, NULL));
  OK(larmor_transform_execute(transform, image, found));
  CHECK(difference(found, expected, SAMPLES) < 1e-8);
  OK(larmor_transform_execute_adjoint(transform, found, back));
  for (i = 0; i < 2 * SAMPLES; ++i) left += found[i] * found[i];
  for (i = 0; i < 2 * PIXELS; ++i) right += back[i] * image[i];
  CHECK(fabs(left - right) < 1e-9 * left);
  larmor_transform_destroy(transform);

  /* The other types, by their adjoint relation and a sum of one point. */
  options.sign = 1;
  OK(larmor_transform_create(context, 1, LARMOR_DOUBLE, &modes, &options, &transform));
  OK(larmor_transform_set_points(transform, 0, SAMPLES, k, 0, NULL));
  OK(larmor_transform_execute(transform, found, image));
  CHECK(difference(image, back, PIXELS) < 1e-8);
  larmor_transform_destroy(transform);
  {
    const double point[2] = {0.3, -0.2}, frequency[2] = {0.5, 0.25};
    const double one[2] = {1, 0};
    double value[2] = {0, 0};
    OK(larmor_transform_create(context, 3, LARMOR_DOUBLE, NULL, &options, &transform));
    OK(larmor_transform_set_points(transform, 2, 1, point, 1, frequency));
    OK(larmor_transform_execute(transform, one, value));
    CHECK(fabs(value[0] - cos(2 * PI * 0.1)) < 1e-8 && fabs(value[1] - sin(2 * PI * 0.1)) < 1e-8);
    larmor_transform_destroy(transform);
  }
  CHECK(larmor_transform_create(context, 4, LARMOR_DOUBLE, &modes, NULL, &transform) == LARMOR_USAGE && says("type is 4"));
  CHECK(larmor_transform_create(context, 1, LARMOR_DOUBLE, NULL, NULL, &transform) == LARMOR_USAGE && says("modes is NULL"));
  {
    const larmor_shape uncountable = {2, {INT64_MAX, 3}};
    larmor_transform_options unset, far;
    double values[2 * 64];
    double origin[2] = {0, 0};
    const larmor_shape small = {2, {4, 4}};
    memset(values, 0, sizeof values);
    memset(&unset, 0, sizeof unset);
    memset(&far, 0, sizeof far);
    far.struct_size = sizeof far;
    far.batch = INT64_MAX;
    CHECK(larmor_transform_create(context, 1, LARMOR_DOUBLE, &modes, &unset, &transform) == LARMOR_USAGE &&
          says("struct_size of the options is 0"));
    unset.struct_size = (size_t)-1;
    CHECK(larmor_transform_create(context, 1, LARMOR_DOUBLE, &modes, &unset, &transform) == LARMOR_USAGE &&
          says("set it to the size of"));
    CHECK(larmor_transform_create(context, 1, LARMOR_DOUBLE, &modes, &far, &transform) == LARMOR_USAGE && says("batch is"));
    CHECK(larmor_transform_create(context, 1, LARMOR_DOUBLE, &uncountable, NULL, &transform) == LARMOR_USAGE &&
          says("more elements than can be counted"));
    OK(larmor_transform_create(context, 1, LARMOR_DOUBLE, &small, NULL, &transform));
    OK(larmor_transform_set_points(transform, 2, 1, origin, 0, NULL));
    CHECK(larmor_transform_execute(transform, values + 4, values) == LARMOR_USAGE && says("overlap"));
    OK(larmor_transform_execute(transform, values + 32, values));
    larmor_transform_destroy(transform);
  }
  CHECK(larmor_transform_create(context, 1, (larmor_precision)7, &modes, NULL, &transform) == LARMOR_USAGE &&
        says("precision is 7"));
  larmor_transform_destroy(NULL);
  free(image);
  free(expected);
  free(found);
  free(back);
}

static int halve(void* user, const void* in, void* out) {
  const double* from = in;
  double* to = out;
  int i;
  ++*(int*)user;
  for (i = 0; i < 2 * PIXELS; ++i) to[i] = 0.5 * from[i];
  return 0;
}
/* With the context of the call that it is called from. */
static int use_again(void* user, const void* in, void* out) {
  larmor_operator** own = user;
  CHECK(larmor_operator_apply(*own, in, out) == LARMOR_USAGE && says("a context of its own"));
  return 1;
}

static int refuse(void* user, const void* in, void* out) {
  (void)user;
  (void)in;
  (void)out;
  return 5;
}

struct steps {
  int count, stop_after;
};
static int step(void* user, const larmor_step* taken, const void* x) {
  struct steps* steps = user;
  ++steps->count;
  CHECK(x != NULL && taken->iteration == steps->count && taken->struct_size == sizeof *taken);
  return steps->count == steps->stop_after;
}

static void test_operators_and_solvers(larmor_context* context, const double* k) {
  const larmor_shape image_shape = {2, {NY, NX}}, maps_shape = {3, {2, NY, NX}};
  larmor_nufft_options options = {.struct_size = sizeof options};
  larmor_operator *nufft = NULL, *maps = NULL, *model = NULL, *adjoint = NULL, *normal = NULL, *own = NULL, *product = NULL;
  larmor_shape domain, codomain;
  double *x = numbers(2 * PIXELS, 1), *values = numbers(4 * PIXELS, 1), *y = numbers(4 * SAMPLES, 1);
  double *gridded = numbers(2 * PIXELS, 1), *direct = numbers(2 * PIXELS, 1), *found = numbers(2 * PIXELS, 1);
  int calls = 0, i;
  options.tolerance = 1e-9;
  options.coils = -2;
  CHECK(larmor_nufft_create(context, LARMOR_DOUBLE, &image_shape, SAMPLES, k, &options, &nufft) == LARMOR_USAGE);
  options.coils = 2;
  OK(larmor_nufft_create(context, LARMOR_DOUBLE, &image_shape, SAMPLES, k, &options, &nufft));
  OK(larmor_coil_maps_create(context, LARMOR_DOUBLE, &maps_shape, values, &maps));
  OK(larmor_product_create(nufft, maps, &model));
  larmor_operator_destroy(nufft); /* the product keeps what it needs */
  larmor_operator_destroy(maps);
  OK(larmor_operator_shapes(model, &domain, &codomain));
  CHECK(domain.rank == 2 && domain.extents[1] == NX && codomain.rank == 2 && codomain.extents[1] == SAMPLES);

  OK(larmor_operator_apply(model, x, y));
  {
    double* coil = numbers(2 * PIXELS, 1);
    double* expected = numbers(2 * SAMPLES, 1);
    for (i = 0; i < PIXELS; ++i) {
      coil[2 * i] = x[2 * i] * values[2 * i] - x[2 * i + 1] * values[2 * i + 1];
      coil[2 * i + 1] = x[2 * i] * values[2 * i + 1] + x[2 * i + 1] * values[2 * i];
    }
    exact(coil, NY, NX, k, SAMPLES, 1 / sqrt(PIXELS), expected);
    CHECK(difference(y, expected, SAMPLES) < 1e-8);
    free(coil);
    free(expected);
  }
  OK(larmor_operator_adjoint(model, y, gridded));
  {
    /* <A x, v> = <x, A^H v> for samples v that are not those of x. */
    double *v = numbers(4 * SAMPLES, 1), *back = numbers(2 * PIXELS, 1);
    double left[2] = {0, 0}, right[2] = {0, 0};
    OK(larmor_operator_adjoint(model, v, back));
    for (i = 0; i < 2 * SAMPLES; ++i) {
      left[0] += v[2 * i] * y[2 * i] + v[2 * i + 1] * y[2 * i + 1];
      left[1] += v[2 * i] * y[2 * i + 1] - v[2 * i + 1] * y[2 * i];
    }
    for (i = 0; i < PIXELS; ++i) {
      right[0] += back[2 * i] * x[2 * i] + back[2 * i + 1] * x[2 * i + 1];
      right[1] += back[2 * i] * x[2 * i + 1] - back[2 * i + 1] * x[2 * i];
    }
    CHECK(hypot(left[0] - right[0], left[1] - right[1]) < 1e-10 * hypot(left[0], left[1]));
    free(v);
    free(back);
  }
  OK(larmor_adjoint_create(model, &adjoint));
  OK(larmor_operator_apply(adjoint, y, direct));
  CHECK(difference(direct, gridded, PIXELS) == 0);
  OK(larmor_normal_create(model, &normal));
  OK(larmor_operator_apply(normal, x, direct));
  CHECK(difference(direct, gridded, PIXELS) < 1e-7);

  OK(larmor_own_operator_create(context, LARMOR_DOUBLE, &image_shape, &image_shape, halve, halve, &calls, &own));
  OK(larmor_product_create(model, own, &product));
  {
    larmor_solve_options solve = {.struct_size = sizeof solve};
    struct steps steps = {0, 0};
    const char* term = "l2:1e-8";
    double* samples = numbers(4 * SAMPLES, 1);
    OK(larmor_operator_apply(product, x, samples));
    solve.iterations = 60;
    solve.solver = "cg";
    solve.regularizers = &term;
    solve.regularizer_count = 1;
    solve.step = step;
    solve.user = &steps;
    OK(larmor_solve(product, samples, found, &solve));
    CHECK(difference(found, x, PIXELS) < 1e-4 && steps.count > 10 && calls > steps.count);
    solve.solver = "fista";
    term = "l1:1e-9";
    solve.iterations = 1000;
    steps.count = 0;
    OK(larmor_solve(product, samples, found, &solve));
    CHECK(difference(found, x, PIXELS) < 1e-3);
    steps.count = 0;
    steps.stop_after = 4;
    CHECK(larmor_solve(product, samples, found, &solve) == LARMOR_CANCELLED && steps.count == 4);
    solve.solver = "newton";
    CHECK(larmor_solve(product, samples, found, &solve) == LARMOR_USAGE && says("unknown solver 'newton'"));
    solve.regularizer_count = -1;
    CHECK(larmor_solve(product, samples, found, &solve) == LARMOR_USAGE && says("there are -1 regularizers"));
    solve.regularizer_count = 1;
    solve.solver = NULL;
    term = "l1:auto";
    CHECK(larmor_solve(product, samples, found, &solve) == LARMOR_USAGE && says("give its weight"));
    OK(larmor_solve(product, samples, found, NULL));
    {
      /* Weights that leave out a sample hide that it is wrong. */
      double weights[SAMPLES];
      for (i = 0; i < SAMPLES; ++i) weights[i] = i == 3 ? 0 : 1 + i % 2;
      samples[2 * 3] += 100;
      samples[2 * (SAMPLES + 3)] -= 100;
      solve.iterations = 100;
      solve.step = NULL;
      solve.solver = "cg";
      solve.regularizer_count = 0;
      OK(larmor_solve(product, samples, found, &solve));
      CHECK(difference(found, x, PIXELS) > 0.1);
      solve.weights = weights;
      solve.weight_count = SAMPLES;
      OK(larmor_solve(product, samples, found, &solve));
      CHECK(difference(found, x, PIXELS) < 1e-4);
      solve.weight_count = 7;
      CHECK(larmor_solve(product, samples, found, &solve) == LARMOR_USAGE && says("7 density weights for 90 samples"));
    }
    free(samples);
  }
  larmor_operator_destroy(own);
  OK(larmor_own_operator_create(context, LARMOR_DOUBLE, &image_shape, &image_shape, refuse, refuse, NULL, &own));
  CHECK(larmor_operator_apply(own, x, found) == LARMOR_USAGE && says("the apply function of an operator returned 5"));
  CHECK(larmor_product_create(own, model, &product) == LARMOR_USAGE && says("Composition"));
  CHECK(larmor_operator_apply(NULL, x, y) == LARMOR_USAGE && says("op is NULL"));
  {
    larmor_shape wrong = {9, {0}};
    CHECK(larmor_nufft_create(context, LARMOR_DOUBLE, &wrong, SAMPLES, k, NULL, &nufft) == LARMOR_USAGE &&
          says("image has 9 axes"));
  }
  larmor_operator_destroy(own);
  /* A callback that works with the context of the call around it. */
  OK(larmor_own_operator_create(context, LARMOR_DOUBLE, &image_shape, &image_shape, use_again, use_again, &own, &own));
  CHECK(larmor_operator_apply(own, x, found) == LARMOR_USAGE);
  /* Numbers that no memory has room for. */
  {
    larmor_nufft_options many = {.struct_size = sizeof many, .coils = INT64_MAX};
    larmor_shape wide = {1, {INT64_MAX}};
    larmor_operator* none = NULL;
    CHECK(larmor_nufft_create(context, LARMOR_DOUBLE, &image_shape, INT64_MAX, k, NULL, &none) != LARMOR_OK);
    CHECK(larmor_nufft_create(context, LARMOR_DOUBLE, &image_shape, SAMPLES, k, &many, &none) != LARMOR_OK);
    CHECK(larmor_nufft_create(context, LARMOR_DOUBLE, &wide, SAMPLES, k, NULL, &none) != LARMOR_OK);
    CHECK(none == NULL);
  }
  larmor_operator_destroy(own);
  larmor_operator_destroy(product);
  larmor_operator_destroy(normal);
  larmor_operator_destroy(adjoint);
  larmor_operator_destroy(model);
  free(x);
  free(y);
  free(values);
  free(gridded);
  free(direct);
  free(found);
}

static int progress(void* user, const char* stage, int64_t done, int64_t total) {
  int* left = user;
  CHECK(stage[0] != '\0' && done <= total);
  return --*left == 0;
}

static void test_scans(larmor_context* context, const char* recon, const char* folder) {
  char command[4096], path[2048];
  larmor_scan* scan = NULL;
  larmor_options* options = NULL;
  larmor_images* images = NULL;
  larmor_shape shape;
  const float* pixels = NULL;
  double energy = 0;
  int left = 1000000;
  int64_t i;
  sprintf(path, "%.2000s/scan.h5", folder);
  sprintf(command, "\"%.1500s\" simulate \"%.2000s\" --matrix 32 --coils 3 --quiet --overwrite", recon, path);
  CHECK(system(command) == 0);
  OK(larmor_scan_read(path, NULL, &scan));
  CHECK(larmor_scan_readouts(scan) > 30);
  OK(larmor_options_create(&options));
  OK(larmor_options_set(options, "regularizer", "l2:1e-2"));
  OK(larmor_options_set(options, "iterations", "8"));
  OK(larmor_reconstruct(context, scan, options, progress, &left, &images));
  CHECK(left < 1000000 && larmor_images_count(images) == 1);
  OK(larmor_images_pixels(images, 0, &shape, &pixels));
  CHECK(shape.rank == 3 && shape.extents[0] == 1 && shape.extents[1] == 32 && shape.extents[2] == 32);
  for (i = 0; i < 2 * 32 * 32; ++i) energy += (double)pixels[i] * pixels[i];
  CHECK(energy > 0);
  CHECK(strstr(larmor_images_report(images), "\"iterations=8\"") != NULL);
  sprintf(path, "%.2000s/image.npy", folder);
  OK(larmor_images_write(images, path, 1));
  CHECK(larmor_images_write(images, path, 0) == LARMOR_USAGE && says("exists"));
  CHECK(larmor_images_pixels(images, 1, &shape, &pixels) == LARMOR_USAGE && says("no image 1"));
  larmor_images_destroy(images);
  CHECK(larmor_reconstruct(context, scan, options, NULL, NULL, &images) == LARMOR_USAGE && says("by a reconstruction already"));
  larmor_options_destroy(options);

  OK(larmor_options_create(&options));
  CHECK(larmor_options_set(options, "regulariser", "l2:1") == LARMOR_USAGE && says("unknown option 'regulariser'"));
  CHECK(larmor_options_set(options, "iterations", "0") == LARMOR_USAGE && says("iterations '0'"));
  CHECK(larmor_options_set(options, "threads", "2") == LARMOR_USAGE && says("option of the context"));
  {
    const larmor_shape three = {1, {3}};
    const double reals[3] = {0, 0, 0};
    const float complexes[6] = {0, 1, 0, 1, 0, 1};
    CHECK(larmor_options_set_real(options, "fov", &three, reals) == LARMOR_USAGE && says("does not take an array"));
    CHECK(larmor_options_set_complex(options, "bins", &three, complexes) == LARMOR_USAGE && says("real numbers"));
  }
  left = 1;
  OK(larmor_options_set(options, "regularizer", "l2:1e-2"));
  CHECK(larmor_reconstruct(context, scan, options, progress, &left, &images) == LARMOR_CANCELLED);
  larmor_options_destroy(options);
  larmor_scan_destroy(scan);
  CHECK(larmor_scan_read("/nowhere/scan.h5", NULL, &scan) == LARMOR_INPUT && says("/nowhere/scan.h5"));
}

int main(int argc, char** argv) {
  larmor_context_options options = {.struct_size = sizeof options};
  larmor_context* context = NULL;
  void* stream = &stream;
  double* k = numbers(2 * SAMPLES, 0.5);
  if (argc != 3) return 2;
  CHECK(strcmp(larmor_last_error(), "") == 0);
  CHECK(strchr(larmor_version(), '.') != NULL);
  options.device = "tpu";
  CHECK(larmor_context_create(&options, &context) == LARMOR_USAGE && says("tpu"));
  options.device = "cuda:77";
  CHECK(larmor_context_create(&options, &context) == LARMOR_RESOURCE);
  options.device = "cpu";
  options.threads = 2;
  OK(larmor_context_create(&options, &context));
  OK(larmor_context_stream(context, &stream));
  CHECK(stream == NULL);
  OK(larmor_context_synchronize(context));
  test_transforms(context, k);
  test_operators_and_solvers(context, k);
  test_scans(context, argv[1], argv[2]);
  larmor_context_destroy(context);
  free(k);
  if (failures == 0) printf("larmor.h: everything holds\n");
  return failures == 0 ? 0 : 1;
}
