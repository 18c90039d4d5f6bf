#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/calibration/resample_maps.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using Geometries = std::vector<ImageGeometry>;

std::string text_of(const ImageGeometry& geometry) {
  return fmt::format("{}×{}×{} on {:.4g}×{:.4g}×{:.4g} mm", geometry.matrix[0], geometry.matrix[1],
                     geometry.matrix[2], geometry.fov_mm[0], geometry.fov_mm[1], geometry.fov_mm[2]);
}

// The maps of one set as blocks that are resampled as one: a volume, a stack, or slices that are none.
class Blocks {
 public:
  // maps: [slices, sets, channels, z, y, x]
  Blocks(View<const Complex> maps, Index set, const Geometries& geometry, Context& ctx) {
    const Shape pixels = maps.shape().drop_front(3);
    const Index channels = maps.shape()[2], slices = maps.shape()[0];
    Array<Complex> one(pixels.prepend(channels).prepend(slices));
    for (Index s = 0; s < slices; ++s)
      std::copy_n(maps.slice(s).slice(set).data(), pixels.size() * channels, one.view().slice(s).data());
    if (slices > 1 && pixels[0] == 1) try {
        stack_.push_back(std::make_unique<ResampledMaps>(
            one.view().reshaped({slices, channels, pixels[1], pixels[2]}), geometry, ctx));
        return;
      } catch (const Error& error) {
        if (error.error_class() != ErrorClass::input) throw;
        // Slices that are no stack.
      }
    for (Index s = 0; s < slices; ++s)
      stack_.push_back(std::make_unique<ResampledMaps>(
          one.view().slice(s), Geometries{geometry[static_cast<std::size_t>(s)]}, ctx));
  }

  // The one that reaches the image best.
  const ResampledMaps& nearest(const ImageGeometry& image) const {
    const auto beyond = [&](const auto& block) { return block->overhang(image); };
    return **std::min_element(stack_.begin(), stack_.end(),
                              [&](const auto& a, const auto& b) { return beyond(a) < beyond(b); });
  }

 private:
  std::vector<std::unique_ptr<ResampledMaps>> stack_;
};

// As a reconstruction takes maps: [(slices,) (sets,) channels, (z,) y, x].
Shape plain_shape(const Geometries& images, Index sets, const ScanPlan& plan) {
  std::vector<Index> axes;
  if (images.size() > 1) axes.push_back(static_cast<Index>(images.size()));
  if (sets > 1) axes.push_back(sets);
  axes.push_back(plan.channels);
  const auto& matrix = images.front().matrix;
  if (plan.dims == 3) axes.push_back(matrix[2]);
  axes.insert(axes.end(), {matrix[1], matrix[0]});
  return {axes.data(), static_cast<int>(axes.size())};
}

// The maps as [slices, sets, channels, z, y, x].
View<const Complex> six_axes(View<const Complex> maps, Index sets, const Geometries& geometry,
                             const ScanPlan& plan) {
  const ImageGeometry& first = geometry.front();
  const Shape shape{static_cast<Index>(geometry.size()),
                    sets,
                    plan.channels,
                    first.matrix[2],
                    first.matrix[1],
                    first.matrix[0]};
  const int rank = maps.shape().rank();
  const bool fits = maps.size() == shape.size() && rank >= 2 && maps.shape()[rank - 1] == shape[5] &&
                    maps.shape()[rank - 2] == shape[4];
  if (!fits)
    throw input_error(
        "coil maps of shape {} do not fit {} channels{} of {} {} of {}×{}×{} voxels, as their geometry says",
        maps.shape().to_string(), plan.channels, sets > 1 ? fmt::format(" in {} sets", sets) : "", shape[0],
        shape[0] == 1 ? "image" : "images", first.matrix[0], first.matrix[1], first.matrix[2])
        .about("maps");
  return maps.reshaped(shape);
}

}  // namespace

std::vector<ImageGeometry> slice_geometry(const ScanPlan& plan, const Grid& grid) {
  std::map<std::uint16_t, ImageGeometry> slices;
  for (const PlannedImage& image : plan.images) slices.emplace(image.counters.slice, image.geometry);
  std::vector<ImageGeometry> result;
  for (auto& [slice, geometry] : slices) {
    geometry.matrix = grid.matrix;
    geometry.fov_mm = grid.fov_mm;
    result.push_back(geometry);
  }
  return result;
}

Array<Complex> placed_maps(View<const Complex> maps, Index sets, const Geometries& geometry, ScanPlan& plan,
                           Context& ctx) {
  const auto unknown = [](const ImageGeometry& one) { return !one.orientation_known; };
  for (const ImageGeometry& one : geometry)
    if (one.matrix != geometry.front().matrix)
      throw input_error("the coil maps' slices have different matrices").about("maps");
  const Geometries recon = slice_geometry(plan, plan.grids.recon),
                   solve = slice_geometry(plan, plan.grids.solve);
  if (geometry.empty() || std::any_of(geometry.begin(), geometry.end(), unknown) ||
      std::any_of(recon.begin(), recon.end(), unknown)) {
    if (!geometry.empty())
      plan.notes.emplace_back("where the scan or the coil maps lie is not known: they are taken as they are");
    return {};
  }
  const View<const Complex> six = six_axes(maps, sets, geometry, plan);
  const auto here_already = [&](const Geometries& slices) {
    return std::equal(slices.begin(), slices.end(), geometry.begin(), geometry.end(), same_voxels);
  };
  if ((here_already(solve) || here_already(recon)) && maps.shape() == plain_shape(geometry, sets, plan))
    return {};

  std::vector<Blocks> blocks;
  for (Index set = 0; set < sets; ++set) blocks.emplace_back(six, set, geometry, ctx);
  struct Reach {
    double beyond = 0, margin = 0;
    std::size_t slice = 0;
    bool inside() const { return beyond <= margin; }
  };
  const auto reach = [&](const Geometries& slices) {
    Reach farthest;
    for (std::size_t s = 0; s < slices.size(); ++s) {
      const ResampledMaps& block = blocks.front().nearest(slices[s]);
      const Reach one{block.overhang(slices[s]), block.margin(), s};
      if (s == 0 || one.beyond - one.margin > farthest.beyond - farthest.margin) farthest = one;
    }
    return farthest;
  };
  const Reach on_solve = reach(solve), on_recon = on_solve.inside() ? on_solve : reach(recon);
  if (!on_recon.inside())
    throw input_error(
        "the image{} reaches {:.4g} mm beyond the coil maps, which go on for {:.4g} mm at most (an eighth of "
        "their field of view): give maps of where the scan lies, or have them estimated",
        recon.size() > 1 ? fmt::format(" of the slice at place {}", on_recon.slice) : "", on_recon.beyond,
        on_recon.margin)
        .about("maps");
  const Geometries& target = on_solve.inside() ? solve : recon;
  const Shape pixels{target.front().matrix[2], target.front().matrix[1], target.front().matrix[0]};
  const auto slices = static_cast<Index>(target.size());
  Array<Complex> result(plain_shape(target, sets, plan));
  const auto by_set = result.view().reshaped(pixels.prepend(plan.channels).prepend(sets).prepend(slices));
  for (std::size_t s = 0; s < target.size(); ++s)
    for (Index set = 0; set < sets; ++set)
      blocks[static_cast<std::size_t>(set)].nearest(target[s]).read(
          target[s], by_set.slice(static_cast<Index>(s)).slice(set), ctx);
  if (std::all_of(target.begin(), target.end(),
                  [&](const ImageGeometry& one) { return blocks.front().nearest(one).coincides(one); }))
    return result;
  plan.notes.push_back(fmt::format(
      "coil maps of {}{} are resampled to {}, by where they lie{}",
      geometry.size() > 1 ? fmt::format("{} slices, ", geometry.size()) : "", text_of(geometry.front()),
      text_of(target.front()),
      on_recon.beyond > 0
          ? fmt::format("; they go on for {:.3g} mm (at most {:.3g})", on_recon.beyond, on_recon.margin)
          : ""));
  if (geometry.size() == 1 && geometry.front().matrix[2] == 1 && target.size() > 1)
    plan.notes.push_back(fmt::format("coil maps of one slice serve all {} slices", target.size()));
  return result;
}

}  // namespace larmor
