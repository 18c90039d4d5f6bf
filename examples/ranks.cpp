// Distributes the coils of a scan over two ranks, which are threads of this program (docs/cluster.md).
#include <larmor/larmor.hpp>

#include <thread>

using namespace larmor;

void reconstruct_as(const std::shared_ptr<Communicator>& ranks) {
  Context ctx;
  const Scan scan = read_ismrmrd("scan.h5");
  const Selection selected = select_scan(scan, {}, ctx);
  const PreparedImage data = load_image(scan, selected.plan, selected.channels, 0, ctx);
  const Share own = share_of(selected.channels.coils, ranks->rank(), ranks->size());

  const Shape shape = selected.plan.grids.solve_shape();
  const NufftOptions transform{.tolerance = once_used_tolerance(1e-3), .batch = own.count};
  const auto S = CoilMaps<float>(estimate_coil_maps(scan, selected, ctx)).coils(own.first, own.count);
  const auto F = Nufft<float>(data.trajectory, shape, transform, ctx);
  // Its adjoint and its normal operator are sums over the ranks, so the solver has the same image on every
  // rank.
  const RowsOfRank<float> A(F * S, ranks);
  const auto y = data.samples.view().slices(own.first, own.count);
  const auto result = conjugate_gradient<float>(A, y, {}, {.iterations = 6}, ctx);

  if (ranks->rank() > 0) return;
  ImageSeries series;
  series.images.push_back(image_of(result.x, selected.plan));
  write_images("image.nii.gz", series, {.overwrite = true});
}

int main() {
  const auto ranks = ranks_of_threads(2);
  std::thread other([&] { reconstruct_as(ranks[1]); });
  reconstruct_as(ranks[0]);
  other.join();
}
