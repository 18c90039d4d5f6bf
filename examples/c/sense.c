/* An iterative reconstruction in C: sense SCAN IMAGE. */
#include <larmor.h>

#include <stdio.h>
#include <stdlib.h>

static void must(larmor_status status) {
  if (status == LARMOR_OK) return;
  fprintf(stderr, "%s\n", larmor_last_error());
  exit(status);
}

static int show(void* user, const char* stage, int64_t done, int64_t total) {
  (void)user;
  printf("%s %ld of %ld\n", stage, (long)done, (long)total);
  return 0; /* another value stops */
}

int main(int argc, char** argv) {
  larmor_context* context;
  larmor_scan* scan;
  larmor_options* options;
  larmor_images* images;
  if (argc != 3) {
    fprintf(stderr, "usage: %s SCAN IMAGE\n", argv[0]);
    return 2;
  }
  must(larmor_context_create(NULL, &context));
  must(larmor_scan_read(argv[1], NULL, &scan));
  must(larmor_options_create(&options));
  must(larmor_options_set(options, "regularizer", "l2:1e-2"));
  must(larmor_reconstruct(context, scan, options, show, NULL, &images));
  must(larmor_images_write(images, argv[2], 1));
  larmor_images_destroy(images);
  larmor_options_destroy(options);
  larmor_scan_destroy(scan);
  larmor_context_destroy(context);
  return 0;
}
