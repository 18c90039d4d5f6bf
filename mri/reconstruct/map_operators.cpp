#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/reconstruct/map_operators.hpp>

#include <optional>

namespace LARMOR_API larmor {
namespace {

using Complex = std::complex<float>;

template <typename T>
CoilMaps<T> as_operator(Array<Complex> maps, Placement placement, const Context& ctx) {
  if constexpr (std::is_same_v<T, float>)
    return CoilMaps<T>(moved_to(ctx.device(), std::move(maps), placement));
  else
    return CoilMaps<T>(moved_to(ctx.device(),
                                converted<std::complex<T>>(moved_to(Device::cpu(), std::move(maps)).view()),
                                placement));
}

}  // namespace

template <typename T>
std::vector<CoilMaps<T>> coil_maps_of_slice(const MapsInput& input, Context& ctx, std::optional<Share> coils,
                                            Calibration* used) {
  std::vector<CoilMaps<T>> result;
  for (auto& maps : maps_of_slice(input, ctx, used)) {
    std::optional<ImageBox> box;
    if (!maps.device().on_gpu()) box = box_of_maps<float>(maps, ctx);
    if (coils && coils->count < maps.shape()[0])
      maps = copied_to(maps.device(), maps.view().slices(coils->first, coils->count), maps.placement());
    const auto made = as_operator<T>(std::move(maps), input.placement, ctx);
    result.push_back(box ? made.within(*box) : made);
  }
  return result;
}

template std::vector<CoilMaps<float>> coil_maps_of_slice(const MapsInput&, Context&, std::optional<Share>,
                                                         Calibration*);
template std::vector<CoilMaps<double>> coil_maps_of_slice(const MapsInput&, Context&, std::optional<Share>,
                                                          Calibration*);

}  // namespace larmor
