#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/reconstruct/steps.hpp>

#include <algorithm>
#include <cmath>

namespace larmor {

template <typename T>
Array<std::complex<float>> image_pixels(View<const std::complex<T>> image, const Grids& grids, bool coils) {
  const double unit = 1 / std::sqrt(static_cast<double>(grids.solve_shape().size()));
  const auto part = cropped<std::complex<T>>(image, grids.recon_shape());
  const auto& matrix = grids.recon.matrix;
  Shape shape{matrix[2], matrix[1], matrix[0]};
  if (coils) shape = shape.prepend(image.shape()[0]);
  Array<std::complex<float>> result(shape);
  for (Index i = 0; i < result.size(); ++i)
    result[i] = std::complex<float>(static_cast<float>(part[i].real() * unit),
                                    static_cast<float>(part[i].imag() * unit));
  return result;
}

template <typename T>
std::vector<CoilMaps<T>> slice_maps_of_data(const Scan& scan, const ScanPlan& plan,
                                            const ChannelPlan& channels, std::uint16_t slice,
                                            const ReconstructOptions& options, const PreparedImage* loaded,
                                            Context& ctx, Placement placement) {
  Context host = ctx.host();
  Array<std::complex<float>> estimated;
  View<const std::complex<float>> original = options.maps;
  if (original.size() > 0) {
    const auto slices = slices_of(plan);
    const auto position = std::find(slices.begin(), slices.end(), slice) - slices.begin();
    original = given_slice_maps(original, options.map_sets, plan, static_cast<std::size_t>(position));
  } else {
    estimated =
        estimate_slice_maps(scan, plan, channels, slice, options.calibration, options.map_sets, loaded, ctx);
    original = estimated;
  }
  std::vector<CoilMaps<T>> result;
  for (Index set = 0; set < options.map_sets; ++set) {
    auto maps = apply_channel_matrix(channels.matrix, original.slice(set), host);
    if constexpr (std::is_same_v<T, float>)
      result.emplace_back(moved_to(ctx.device(), std::move(maps), placement));
    else
      result.emplace_back(moved_to(ctx.device(), converted<std::complex<T>>(maps.view()), placement));
  }
  return result;
}

template Array<std::complex<float>> image_pixels<float>(View<const std::complex<float>>, const Grids&, bool);
template Array<std::complex<float>> image_pixels<double>(View<const std::complex<double>>, const Grids&,
                                                         bool);
template std::vector<CoilMaps<float>> slice_maps_of_data<float>(const Scan&, const ScanPlan&,
                                                                const ChannelPlan&, std::uint16_t,
                                                                const ReconstructOptions&,
                                                                const PreparedImage*, Context&, Placement);
template std::vector<CoilMaps<double>> slice_maps_of_data<double>(const Scan&, const ScanPlan&,
                                                                  const ChannelPlan&, std::uint16_t,
                                                                  const ReconstructOptions&,
                                                                  const PreparedImage*, Context&, Placement);

}  // namespace larmor
