// The coils of a scan divided among two processes, which this program starts and ends itself
// (docs/cluster.md).
#include <larmor/larmor.hpp>

int main(int argc, char** argv) {
  using namespace larmor;
  const auto identity = identity_of_rank();
  if (!identity) {
    lead_ranks(2, {argv, argv + argc}, std::atomic<bool>(false));
    return 0;
  }
  const auto ranks = std::make_shared<SharedMemoryCommunicator>(identity->segment, identity->rank);
  Context ctx;
  const Scan scan = read_ismrmrd("scan.h5");
  const Selection selected = select_scan(scan, {}, ctx);
  const PreparedImage data = load_image(scan, selected.plan, selected.channels, 0, ctx);
  const Share own = share_of(selected.channels.coils, ranks->rank(), ranks->size());

  const Shape shape = selected.plan.grids.solve_shape();
  const NufftOptions transform{.tolerance = once_used_tolerance(1e-3), .batch = own.count};
  const auto S = CoilMaps<float>(estimate_coil_maps(scan, selected, ctx)).coils(own.first, own.count);
  const auto F = Nufft<float>(data.trajectory, shape, transform, ctx);
  // Its adjoint and its normal operator are sums over the ranks: the solver has the same image on each.
  const RowsOfRank<float> A(F * S, ranks);
  const auto y = data.samples.view().slices(own.first, own.count);
  const auto result = conjugate_gradient<float>(A, y, {}, {.iterations = 6}, ctx);

  if (ranks->rank() > 0) return 0;
  ImageSeries series;
  series.images.push_back(image_of(result.x, selected.plan));
  write_images("image.nii.gz", series, {.overwrite = true});
}
