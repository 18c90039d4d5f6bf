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

// Coil maps of `channels` channels, or an image, to be moved to given positions; the name is for messages.
struct Given {
  View<const Complex> numbers;
  const Geometries& geometry;
  Index sets, channels;
  Resampled what;
  std::string name;

  bool maps() const { return what == Resampled::maps; }
  Error wrong(const std::string& text) const { return input_error("{}", text).about(maps() ? "maps" : ""); }
};

// The maps of one set, divided into blocks that are resampled as a whole: a volume, a stack, or individual
// slices.
class Blocks {
 public:
  // maps: [slices, sets, channels, z, y, x]
  Blocks(View<const Complex> maps, Index set, const Geometries& geometry, Resampled what, Context& ctx) {
    const Shape pixels = maps.shape().drop_front(3);
    const Index channels = maps.shape()[2], slices = maps.shape()[0];
    Array<Complex> one(pixels.prepend(channels).prepend(slices));
    for (Index s = 0; s < slices; ++s)
      std::copy_n(maps.slice(s).slice(set).data(), pixels.size() * channels, one.view().slice(s).data());
    if (slices > 1 && pixels[0] == 1) try {
        stack_.push_back(std::make_unique<ResampledMaps>(
            one.view().reshaped({slices, channels, pixels[1], pixels[2]}), geometry, ctx, what));
        return;
      } catch (const Error& error) {
        if (error.error_class() != ErrorClass::input) throw;
        // Slices that do not form a stack.
      }
    for (Index s = 0; s < slices; ++s)
      stack_.push_back(std::make_unique<ResampledMaps>(
          one.view().slice(s), Geometries{geometry[static_cast<std::size_t>(s)]}, ctx, what));
  }

  // The block that covers the image best.
  const ResampledMaps& nearest(const ImageGeometry& image) const {
    const auto beyond = [&](const auto& block) { return block->overhang(image); };
    return **std::min_element(stack_.begin(), stack_.end(),
                              [&](const auto& a, const auto& b) { return beyond(a) < beyond(b); });
  }

 private:
  std::vector<std::unique_ptr<ResampledMaps>> stack_;
};

// The form that a reconstruction requires: [(slices,) (sets,) channels, (z,) y, x]; an image needs no axis
// for a single channel.
Shape plain_shape(const Geometries& images, const Given& given, const ScanPlan& plan) {
  std::vector<Index> axes;
  if (images.size() > 1) axes.push_back(static_cast<Index>(images.size()));
  if (given.sets > 1) axes.push_back(given.sets);
  if (given.maps() || given.channels > 1) axes.push_back(given.channels);
  const auto& matrix = images.front().matrix;
  if (plan.dims == 3) axes.push_back(matrix[2]);
  axes.insert(axes.end(), {matrix[1], matrix[0]});
  return {axes.data(), static_cast<int>(axes.size())};
}

// The numbers as [slices, sets, channels, z, y, x].
View<const Complex> six_axes(const Given& given) {
  const ImageGeometry& first = given.geometry.front();
  const Shape shape{static_cast<Index>(given.geometry.size()),
                    given.sets,
                    given.channels,
                    first.matrix[2],
                    first.matrix[1],
                    first.matrix[0]};
  const Shape& found = given.numbers.shape();
  const int rank = found.rank();
  if (found.size() != shape.size() || rank < 2 || found[rank - 1] != shape[5] ||
      found[rank - 2] != shape[4]) {
    const Index times =
        shape.size() > 0 && found.size() % shape.size() == 0 ? found.size() / shape.size() : 0;
    throw given.wrong(fmt::format(
        "{} of shape {} do not fit {} channels{} of {} {} of {}×{}×{} voxels, as their geometry says{}",
        given.name, found.to_string(), given.channels,
        given.sets > 1 ? fmt::format(" in {} sets", given.sets) : "", shape[0],
        shape[0] == 1 ? "image" : "images", first.matrix[0], first.matrix[1], first.matrix[2],
        given.maps() && given.sets == 1 && times > 1 ? perhaps_sets(times) : ""));
  }
  return given.numbers.reshaped(shape);
}

}  // namespace

std::vector<ImageGeometry> slice_geometry(const ScanPlan& plan, const Grid& grid) {
  std::map<std::uint16_t, ImageGeometry> slices;
  for (const PlannedImage& image : plan.images)
    for (Index band = 0; band < plan.bands.count; ++band)
      slices.emplace(plan.bands.slice(image.counters.slice, band), plan.bands.geometry(image.geometry, band));
  std::vector<ImageGeometry> result;
  for (auto& [slice, geometry] : slices) {
    geometry.matrix = grid.matrix;
    geometry.fov_mm = grid.fov_mm;
    result.push_back(geometry);
  }
  return result;
}

namespace {

// The slice that extends farthest beyond the blocks.
struct Reach {
  double beyond = 0, margin = 0;
  std::size_t slice = 0;
  bool inside() const { return beyond <= margin; }
};

Reach reach_of(const Blocks& blocks, const Geometries& slices) {
  Reach farthest;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    const ResampledMaps& block = blocks.nearest(slices[s]);
    const Reach one{block.overhang(slices[s]), block.margin(), s};
    if (s == 0 || one.beyond - one.margin > farthest.beyond - farthest.margin) farthest = one;
  }
  return farthest;
}

// Arrays have no position: an array with the image's number of pixels along the scanner's axes is assumed to
// be for that image, at any position. Throws Error (input) for all other arrays whose position would be
// needed.
bool pixels_of_arrays(const Given& given, const Geometries& recon, const Geometries& solve, ScanPlan& plan) {
  const ImageGeometry& first = given.geometry.front();
  const ImageGeometry scanner;
  const auto near = [](double a, double b, double unit) { return std::abs(a - b) < 1e-2 * unit; };
  const auto along_axes = [&](const ImageGeometry& one) {
    bool result = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
      result = result && near(one.read_dir[axis], scanner.read_dir[axis], 1) &&
               near(one.phase_dir[axis], scanner.phase_dir[axis], 1);
    return result;
  };
  const auto fits = [&](const ImageGeometry& image) {
    bool result = first.matrix == image.matrix;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(plan.dims) && plan.grids.fov_known; ++axis)
      result = result && near(first.fov_mm[axis], image.fov_mm[axis], image.fov_mm[axis]);
    return result;
  };
  if ((given.geometry.size() == 1 || given.geometry.size() == recon.size()) &&
      std::all_of(given.geometry.begin(), given.geometry.end(), along_axes) &&
      (fits(recon.front()) || fits(solve.front())))
    return true;
  const std::string found = fmt::format("{} {} {}", given.name, given.maps() ? "are" : "is", text_of(first));
  if (!plan.grids.fov_known)
    throw input_error(
        "{}, and arrays of {}×{} do not contain the field of view: give it in mm, or {} as .npy without a "
        "position",
        found, recon.front().matrix[0], recon.front().matrix[1], given.maps() ? "maps" : "this image")
        .about("fov");
  if (recon.size() > 1)
    throw given.wrong(fmt::format(
        "{}, and the positions of the arrays' {} slices are unknown: give the scan as ISMRMRD file, or {} as "
        ".npy without a position",
        found, recon.size(), given.maps() ? "maps" : "this image"));
  plan.warnings.push_back(
      fmt::format("{}: arrays have no position, so they are assumed to be at the scanner's centre, along its "
                  "axes",
                  found));
  return false;
}

Array<Complex> placed(const Given& given, ScanPlan& plan, Context& ctx) {
  const Geometries& geometry = given.geometry;
  const auto unknown = [](const ImageGeometry& one) { return !one.orientation_known; };
  for (const ImageGeometry& one : geometry)
    if (one.matrix != geometry.front().matrix)
      throw given.wrong(given.name + ": the slices have different matrices");
  const Geometries recon = slice_geometry(plan, plan.grids.recon),
                   solve = slice_geometry(plan, plan.grids.solve);
  if (geometry.empty() || std::any_of(geometry.begin(), geometry.end(), unknown) ||
      std::any_of(recon.begin(), recon.end(), unknown)) {
    if (!geometry.empty())
      plan.notes.push_back(fmt::format("the position of the scan, or of {}, is not known: used as stored",
                                       given.maps() ? "the coil maps" : given.name));
    return {};
  }
  const View<const Complex> six = six_axes(given);
  if (!plan.place_known && pixels_of_arrays(given, recon, solve, plan)) {
    plan.notes.push_back(
        fmt::format("{} used as stored, pixel on pixel: arrays have no position", given.name));
    return {};
  }
  const auto here_already = [&](const Geometries& slices) {
    return std::equal(slices.begin(), slices.end(), geometry.begin(), geometry.end(), same_voxels);
  };
  if ((here_already(solve) || here_already(recon)) &&
      given.numbers.shape() == plain_shape(geometry, given, plan))
    return {};

  std::vector<Blocks> blocks;
  for (Index set = 0; set < given.sets; ++set) blocks.emplace_back(six, set, geometry, given.what, ctx);
  const Reach on_solve = reach_of(blocks.front(), solve),
              on_recon = on_solve.inside() ? on_solve : reach_of(blocks.front(), recon);
  if (!on_recon.inside())
    throw given.wrong(fmt::format(
        "the image{} reaches {:.4g} mm beyond {}{}: give {}",
        recon.size() > 1 ? fmt::format(" of the slice at position {}", on_recon.slice) : "", on_recon.beyond,
        given.maps() ? "the coil maps" : given.name,
        given.maps()
            ? fmt::format(", which are extrapolated by at most {:.4g} mm (an eighth of their field of view)",
                          on_recon.margin)
            : "",
        given.maps() ? "maps that cover the scan, or have them estimated" : "one that covers the scan"));
  const Geometries& target = on_solve.inside() ? solve : recon;
  const Shape pixels{target.front().matrix[2], target.front().matrix[1], target.front().matrix[0]};
  const auto slices = static_cast<Index>(target.size());
  Array<Complex> result(plain_shape(target, given, plan));
  const auto by_set =
      result.view().reshaped(pixels.prepend(given.channels).prepend(given.sets).prepend(slices));
  for (std::size_t s = 0; s < target.size(); ++s)
    for (Index set = 0; set < given.sets; ++set)
      blocks[static_cast<std::size_t>(set)].nearest(target[s]).read(
          target[s], by_set.slice(static_cast<Index>(s)).slice(set), ctx);
  if (std::all_of(target.begin(), target.end(),
                  [&](const ImageGeometry& one) { return blocks.front().nearest(one).coincides(one); }))
    return result;
  plan.notes.push_back(fmt::format("{} of {}{} {} resampled to {}, by {} position{}", given.name,
                                   geometry.size() > 1 ? fmt::format("{} slices, ", geometry.size()) : "",
                                   text_of(geometry.front()), given.maps() ? "are" : "is",
                                   text_of(target.front()), given.maps() ? "their" : "its",
                                   given.maps() && on_recon.beyond > 0
                                       ? fmt::format("; they are extrapolated by {:.3g} mm (at most {:.3g})",
                                                     on_recon.beyond, on_recon.margin)
                                       : ""));
  if (geometry.size() == 1 && geometry.front().matrix[2] == 1 && target.size() > 1)
    plan.notes.push_back(fmt::format("{} of one slice {} used for all {} slices", given.name,
                                     given.maps() ? "are" : "is", target.size()));
  return result;
}

}  // namespace

std::string perhaps_sets(Index times) {
  return fmt::format("; if these are {0} sets, give sets {0}, or maps of one set (bart ecalib -m 1)", times);
}

Array<Complex> placed_maps(View<const Complex> maps, Index sets, const Geometries& geometry, ScanPlan& plan,
                           Context& ctx) {
  return placed({maps, geometry, sets, plan.channels, Resampled::maps, "coil maps"}, plan, ctx);
}

Array<Complex> placed_image(View<const Complex> image, const Geometries& geometry, const std::string& name,
                            ScanPlan& plan, Context& ctx) {
  Index pixels = 0;
  for (const ImageGeometry& one : geometry) pixels += one.matrix[0] * one.matrix[1] * one.matrix[2];
  return placed({image, geometry, 1, pixels > 0 ? image.size() / pixels : 1, Resampled::image, name}, plan,
                ctx);
}

}  // namespace larmor
