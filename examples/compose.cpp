#include <larmor/larmor.hpp>

int main() {
  using namespace larmor;
  Context ctx;  // this machine's CPU, all threads
  const Scan scan = read_ismrmrd("scan.h5");
  const Selection selection = select_scan(scan, {}, ctx);  // readouts, units, grids; noise whitening
  const SenseProblem problem = sense_problem(scan, selection, ctx);  // estimates coil maps; y = A x
  const auto solution = conjugate_gradient(problem.A, problem.y, {}, {.iterations = 30}, ctx);
  write_image("image.nii.gz", image_of(solution.x, selection.plan), {.overwrite = true});
}
