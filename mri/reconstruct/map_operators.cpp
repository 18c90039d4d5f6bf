#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/reconstruct/map_operators.hpp>

#include <optional>

namespace LARMOR_API larmor {
namespace {

using Complex = std::complex<float>;

// The box of several maps.
class SeenBox {
 public:
  explicit SeenBox(const Context& ctx) : ctx_(ctx) {}
  // maps: [coil, (z,) y, x]
  void add(View<const Complex> maps) {
    if (maps.device().on_gpu()) return;
    const ImageBox more = box_of_maps(maps, ctx_);
    box_ = box_ ? around(*box_, more) : more;
  }
  const std::optional<ImageBox>& box() const { return box_; }

 private:
  const Context& ctx_;
  std::optional<ImageBox> box_;
};

template <typename T>
CoilMaps<T> as_operator(Array<Complex> maps, const SeenBox& seen, Placement placement, const Context& ctx) {
  const auto made = [&] {
    if constexpr (std::is_same_v<T, float>)
      return CoilMaps<T>(moved_to(ctx.device(), std::move(maps), placement));
    else
      return CoilMaps<T>(moved_to(ctx.device(),
                                  converted<std::complex<T>>(moved_to(Device::cpu(), std::move(maps)).view()),
                                  placement));
  }();
  return seen.box() ? made.within(*seen.box()) : made;
}

}  // namespace

template <typename T>
std::vector<CoilMaps<T>> coil_maps_of_slice(const Scan& scan, const Selection& selection,
                                            const CoilOptions& options, std::uint16_t slice,
                                            const PreparedImage* loaded, Placement placement, Context& ctx,
                                            Calibration* used) {
  std::vector<CoilMaps<T>> result;
  for (auto& maps : maps_of_slice(scan, selection, options, slice, loaded, ctx, used, placement)) {
    SeenBox seen(ctx);
    seen.add(maps);
    result.push_back(as_operator<T>(std::move(maps), seen, placement, ctx));
  }
  return result;
}

template <typename T>
std::vector<CoilMaps<T>> joined_maps(const PartOfMaps& own, Index sets, Index coils, const Shape& pixels,
                                     const Division& division, Placement placement, Context& ctx) {
  const Share share = division.kind == Divided::coils ? share_of(coils, *division.ranks) : Share{0, coils};
  std::vector<CoilMaps<T>> result;
  Array<Complex> one;
  if (!own.whole) one = Array<Complex>(pixels.prepend(1), ctx.device());
  for (Index set = 0; set < sets; ++set) {
    SeenBox seen(ctx);
    Array<Complex> kept(pixels.prepend(share.count), ctx.device(), placement);
    if (own.whole) {
      const auto all = own.sets[static_cast<std::size_t>(set)].view();
      copy<float>(all.slices(share.first, share.count), kept, ctx);
      seen.add(all);
    }
    for (Index coil = 0; coil < coils && !own.whole; ++coil) {
      const auto map = one.view().slice(0);
      for (int rank = 0; rank < division.size(); ++rank) {
        const Share part = own.parts[static_cast<std::size_t>(rank)];
        if (part.count == 0) continue;
        const auto place = map.slices(part.first, part.count);
        if (rank == division.rank())
          copy<float>(own.sets[static_cast<std::size_t>(set)].view().slice(coil), place, ctx);
        division.ranks->broadcast(place, rank);
      }
      if (coil >= share.first && coil < share.first + share.count)
        copy<float>(map, kept.view().slice(coil - share.first), ctx);
      seen.add(one);
    }
    result.push_back(as_operator<T>(std::move(kept), seen, placement, ctx));
  }
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template std::vector<CoilMaps<T>> coil_maps_of_slice<T>(const Scan&, const Selection&, const CoilOptions&, \
                                                          std::uint16_t, const PreparedImage*, Placement,    \
                                                          Context&, Calibration*);                           \
  template std::vector<CoilMaps<T>> joined_maps<T>(const PartOfMaps&, Index, Index, const Shape&,            \
                                                   const Division&, Placement, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
