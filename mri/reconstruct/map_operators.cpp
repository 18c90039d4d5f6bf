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
std::vector<CoilMaps<T>> coil_maps_of_slice(const Scan& scan, const Selection& selection,
                                            const CoilOptions& options, std::uint16_t slice,
                                            const PreparedImage* loaded, const Share& coils,
                                            Placement placement, Context& ctx, Calibration* used) {
  std::vector<CoilMaps<T>> result;
  for (auto& maps : maps_of_slice(scan, selection, options, slice, loaded, ctx, used, placement)) {
    std::optional<ImageBox> box;
    if (!maps.device().on_gpu()) box = box_of_maps<float>(maps, ctx);
    if (coils.count < maps.shape()[0])
      maps = copied_to(maps.device(), maps.view().slices(coils.first, coils.count), maps.placement());
    const auto made = as_operator<T>(std::move(maps), placement, ctx);
    result.push_back(box ? made.within(*box) : made);
  }
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template std::vector<CoilMaps<T>> coil_maps_of_slice<T>(const Scan&, const Selection&, const CoilOptions&, \
                                                          std::uint16_t, const PreparedImage*, const Share&, \
                                                          Placement, Context&, Calibration*);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
