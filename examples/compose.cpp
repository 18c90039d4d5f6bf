#include <larmor/larmor.hpp>

#include <cstdio>

int main() {
  using namespace larmor;
  Context ctx;  // where and how: this machine's processor, all its threads
  const Scan scan = read_ismrmrd("scan.h5");
  const Selection selected = select_scan(scan, {}, ctx);  // which readouts, units, grids; noise whitening
  const PreparedImage data = load_image(scan, selected.plan, selected.channels, 0, ctx);

  const Shape shape = selected.plan.grids.solve_shape();
  const NufftOptions transform{.tolerance = once_used_tolerance(1e-3), .batch = selected.channels.coils};
  const auto S = CoilMaps<float>(estimate_coil_maps(scan, selected, ctx));
  const auto F = Nufft<float>(data.trajectory, shape, transform, ctx);
  const auto A = F * S;
  const auto result = conjugate_gradient(A, data.samples, {}, {.iterations = 30, .null_space = 2e-3}, ctx);
  std::printf("%sresidual %.2e\n", describe(A).c_str(), result.history.back().gradient);

  ImageSeries series;
  series.images.push_back(image_of(result.x, selected.plan));
  write_images("image.nii.gz", series, {.overwrite = true});
}
