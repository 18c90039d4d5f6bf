#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/sense_problem.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

namespace larmor {

SenseProblem sense_problem(const Scan& scan, const Selection& selection, Context& ctx, std::size_t image,
                           double tolerance) {
  const Array<std::complex<float>> maps = estimate_coil_maps(scan, selection, ctx, image);
  PreparedImage data = load_image(scan, selection.plan, selection.channels, image, ctx);
  // Solvers iterate with the Toeplitz form and use the transform itself only for Aᴴy.
  const NufftOptions options{.tolerance = once_used_tolerance(tolerance)};
  return {sense_model<float>(data.trajectory, maps, options, ctx),
          moved_to(ctx.device(), std::move(data.samples))};
}

}  // namespace larmor
