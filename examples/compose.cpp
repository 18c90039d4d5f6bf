#include <larmor/larmor.hpp>

#include <cstdio>

int main() {
  using namespace larmor;
  Context ctx;  // where and how: this machine's processor, all its threads
  const Scan scan = read_ismrmrd("scan.h5");
  const ScanPlan plan = plan_scan(scan, {});                    // which readouts, what units, what grids
  const ChannelPlan channels = plan_channels(scan, plan, ctx);  // noise whitening
  const PreparedImage data = load_image(scan, plan, channels, 0, ctx);

  const Shape shape = plan.grids.solve_shape();
  const auto calibration = calibration_region(data.trajectory, data.samples, shape, {}, ctx);
  const auto S = CoilMaps<float>(espirit_maps(calibration, shape, {}, ctx));
  const auto F = Nufft<float>(data.trajectory, shape, {.tolerance = 1e-3, .batch = channels.coils}, ctx);
  const auto A = F * S;
  const auto result = conjugate_gradient(A, data.samples, {.lambda = 1e-3, .iterations = 30}, ctx);
  std::printf("%sresidual %.2e\n", describe(A).c_str(), result.history.back().gradient);

  ImageSeries series;
  series.images.resize(1);
  const auto solved = result.x.view().reshaped(plan.grids.solve.shape(true));
  series.images[0].pixels = cropped(solved, plan.grids.recon.shape(true));
  series.images[0].geometry = plan.images[0].geometry;
  write_images("image.nii.gz", series, true);
}
