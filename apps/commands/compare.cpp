#include <larmor/apps/commands/compare.hpp>
#include <larmor/apps/output/console.hpp>
#include <larmor/apps/output/metrics.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/calibration/resample_maps.hpp>
#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/options/words/values.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace larmor::app {
namespace {

struct CompareOptions {
  std::string image, reference, mask, inside;
  bool magnitude = false;
  bool json = false;
};

/// Without leading axes of length 1, so that [1, 1, y, x] and [y, x] are the same image.
Shape squeezed(Shape shape) {
  while (shape.rank() > 2 && shape[0] == 1) shape = shape.drop_front(1);
  return shape;
}

/// Points [samples, dims] of a file: a trajectory in cycles/pixel, or the trajectory of the first image of a
/// scan, whose grid must be that of images of `shape`.
Array<double> trajectory_of(const std::string& path, const Shape& shape) {
  if (path.ends_with(".h5")) {
    const Scan scan = read_ismrmrd(path);
    const ScanPlan plan = plan_scan(scan, {});
    const Shape recon = plan.grids.recon_shape(), solve = plan.grids.solve_shape();
    const Shape spatial = shape.drop_front(std::max(0, shape.rank() - plan.dims));
    if (spatial != recon && spatial != solve)
      throw input_error(
          "the images have the shape {}, those of {} have {}: give the trajectory in cycles/pixel",
          shape.to_string(), path, recon.to_string());
    return load_trajectory(plan, 0).trajectory;
  }
  Array<double> stored = read_array<double>(path);
  const int rank = stored.shape().rank();
  const Index dims = rank > 0 ? stored.shape()[rank - 1] : 0;
  const bool in_reach =
      std::all_of(stored.begin(), stored.end(), [](double k) { return std::abs(k) < 0.501; });
  if (rank < 2 || (dims != 2 && dims != 3) || !in_reach)
    throw input_error("{}, shape {}: expected a trajectory [samples, 2 or 3] in cycles/pixel, at most 0.5",
                      path, stored.shape().to_string());
  return clone(stored.view().reshaped({stored.size() / dims, dims}));
}

/// Mask in k-space, along the spatial axes of images of `shape`: 1 where they are compared.
Array<float> region_of(const std::string& inside, const Shape& shape, Context& ctx) {
  const int volume = std::min(shape.rank(), 3);
  if (inside == "ball") return ball_of_kspace(shape.drop_front(shape.rank() - volume));
  if (inside == "disc") return ball_of_kspace(shape.drop_front(shape.rank() - 2));
  const Array<double> trajectory = trajectory_of(inside, shape);
  const auto dims = static_cast<int>(trajectory.shape()[1]);
  if (dims > shape.rank())
    throw input_error("{} has the shape {}, a trajectory of {} dimensions; the images have the shape {}",
                      inside, trajectory.shape().to_string(), dims, shape.to_string());
  return hull_of_kspace(trajectory, shape.drop_front(shape.rank() - dims), ctx);
}

/// Positions of all slices of the images; empty if one of them is unknown.
std::vector<ImageGeometry> places_of(const std::vector<Image>& images) {
  std::vector<ImageGeometry> slices;
  for (const Image& image : images) {
    const ImageGeometry& volume = image.geometry;
    if (!volume.orientation_known) return {};
    const Index count = volume.matrix[2];
    for (Index z = 0; z < count; ++z) {
      ImageGeometry& slice = slices.emplace_back(volume);
      slice.matrix[2] = 1;
      slice.fov_mm[2] = volume.fov_mm[2] / static_cast<double>(count);
      for (std::size_t axis = 0; axis < 3; ++axis)
        slice.position[axis] += static_cast<double>(z - count / 2) * slice.fov_mm[2] * volume.slice_dir[axis];
    }
  }
  return slices;
}

/// Position of the first pixel, and the steps to the next pixel along x and y.
std::string text_of(const ImageGeometry& slice) {
  const auto text = [](const Vec3& v) { return fmt::format("({:.4g}, {:.4g}, {:.4g})", v[0], v[1], v[2]); };
  Vec3 first = slice.position, x = slice.read_dir, y = slice.phase_dir;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    x[axis] *= slice.fov_mm[0] / static_cast<double>(slice.matrix[0]);
    y[axis] *= slice.fov_mm[1] / static_cast<double>(slice.matrix[1]);
    first[axis] -= x[axis] * static_cast<double>(slice.matrix[0] / 2) +
                   y[axis] * static_cast<double>(slice.matrix[1] / 2);
  }
  return fmt::format("at {} mm by steps of {} and {}", text(first), text(x), text(y));
}

/// Throws Error (input) if both files give the position of their pixels and these differ.
void require_same_place(const std::string& path, const std::vector<Image>& images,
                        const std::string& other_path, const std::vector<Image>& others) {
  const std::vector<ImageGeometry> here = places_of(images), there = places_of(others);
  // A single image may be compared with all images of a series.
  if (here.empty() || there.empty() || here.size() % there.size() != 0) return;
  for (std::size_t i = 0; i < here.size(); ++i)
    if (!same_voxels(here[i], there[i % there.size()]))
      throw input_error(
          "slice {} of {} lies {}, that of {} {}: expected the same pixels; resample one of them, or convert "
          "both to .npy to compare them as they are stored",
          i, path, text_of(here[i]), other_path, text_of(there[i % there.size()]));
}

/// An image with its pixels in the form in which they are compared.
StoredImages image(const std::string& path, const CompareOptions& options, Context& ctx) {
  StoredImages result = read_images(path);
  Array<std::complex<float>>& pixels = result.pixels;
  const Shape shape = squeezed(pixels.shape());
  if (!options.inside.empty() && shape.rank() >= 2)
    pixels = inside_of_kspace(pixels.view().reshaped(shape), region_of(options.inside, shape, ctx), ctx);
  if (options.magnitude) {
    for (auto& pixel : pixels) pixel = std::abs(pixel);
  }
  return result;
}

double fraction_of(const std::string& text) {
  try {
    return number_in(text, 0, 1);
  } catch (const Error&) {
    throw usage_error("--mask {}: expected a file, or a fraction of the reference's maximum from 0 to 1",
                      text);
  }
}

/// Mask of the pixels of a file that are not zero, or of those where the reference exceeds a fraction of its
/// maximum.
Array<float> mask_of(const std::string& text, const Shape& shape, const std::string& reference,
                     const std::vector<Image>& places) {
  Array<float> mask(shape);
  std::error_code missing;
  if (!std::filesystem::exists(text, missing) &&
      text.find_first_not_of("0123456789.eE-+") == std::string::npos) {
    const double fraction = fraction_of(text);
    const Array<std::complex<float>> pixels = read_array(reference);
    double largest = 0;
    for (const auto& pixel : pixels) largest = std::max<double>(largest, std::abs(pixel));
    for (Index i = 0; i < mask.size(); ++i) mask[i] = std::abs(pixels[i]) > fraction * largest ? 1.0F : 0.0F;
    return mask;
  }
  const StoredImages stored = read_images(text);
  const Array<std::complex<float>>& pixels = stored.pixels;
  require_representable<std::complex<float>>("the mask " + text, pixels);
  const Shape mask_shape = squeezed(pixels.shape());
  const int leading = shape.rank() - mask_shape.rank();
  if (leading < 0 || shape.drop_front(leading) != mask_shape)
    throw input_error("the mask {} has the shape {}, the images have {}", text, mask_shape.to_string(),
                      shape.to_string());
  require_same_place(reference, places, text, stored.images);
  // A mask of one image applies to all images of a series.
  for (Index i = 0; i < mask.size(); ++i) mask[i] = pixels[i % pixels.size()] != 0.0F ? 1.0F : 0.0F;
  return mask;
}

void compare(const CompareOptions& options) {
  Context ctx(Device::cpu());
  const StoredImages one = image(options.image, options, ctx), other = image(options.reference, options, ctx);
  const Array<std::complex<float>>&a = one.pixels, &b = other.pixels;
  Array<float> mask;
  const Shape shape = squeezed(b.shape());
  if (squeezed(a.shape()) != shape)
    throw input_error("{} has the shape {}, {} has {}: expected the same", options.image,
                      a.shape().to_string(), options.reference, b.shape().to_string());
  require_same_place(options.image, one.images, options.reference, other.images);
  if (!options.mask.empty()) mask = mask_of(options.mask, shape, options.reference, other.images);
  const Comparison result = compare_images(a.view().reshaped(shape), b.view().reshaped(shape), mask.view());

  if (options.json) {
    const nlohmann::ordered_json out = {{"nrmse", result.nrmse},
                                        {"nrmse_plain", result.nrmse_plain},
                                        {"scale", {result.scale.real(), result.scale.imag()}},
                                        {"psnr_db", result.psnr},
                                        {"ssim", result.ssim},
                                        {"max_error", result.max_error},
                                        {"pixels", result.pixels}};
    print_out(out.dump(2) + "\n");
    return;
  }
  print_out(
      fmt::format("nrmse        {:.6g}   after one complex scale of {:.6g}{:+.6g}i\n"
                  "nrmse plain  {:.6g}\n"
                  "psnr         {:.2f} dB\n"
                  "ssim         {:.4f}\n"
                  "max error    {:.6g}\n"
                  "pixels       {}\n",
                  result.nrmse, result.scale.real(), result.scale.imag(), result.nrmse_plain, result.psnr,
                  result.ssim, result.max_error, result.pixels));
}

}  // namespace

Command compare_command() {
  Command command(
      "compare", "Compare an image with a reference",
      "Example:\n  recon compare image.npy truth.npy --mask head.npy\n  recon compare image.npy truth.npy "
      "--inside scan.h5 --mask 0.03\nThe nrmse is relative to the norm of the reference. psnr and ssim are "
      "those of magnitudes.\nIf both files give the position of their pixels, the positions must "
      "agree.\n--inside restricts the comparison to the k-space that was sampled, in both images.");
  const auto options = std::make_shared<CompareOptions>();
  command.word("A", "image (" + extensions_for(FormatUse::numbers) + ")", options->image).required = true;
  command.word("B", "reference of the same shape", options->reference).required = true;
  command.text("--mask", "FILE|FRACTION",
               "compare only where this image is not zero, or where the reference exceeds this fraction of "
               "its maximum",
               options->mask);
  command.text("--inside", "TRAJECTORY|ball|disc",
               "compare only the part of k-space inside the convex hull of a trajectory (a scan, or "
               "[samples, dims] in cycles/pixel as .npy), inside the ball |k| <= 0.5 of the last three axes, "
               "or inside the disc of the last two",
               options->inside);
  command.flag("--magnitude", "compare magnitudes", options->magnitude);
  command.value("--memory", "BYTES", "memory limit for the images, such as 4G (default: the free memory)",
                [](const std::string& text) { limit_host_arrays(parse_bytes(text)); });
  command.flag("--json", "print JSON instead of a table", options->json);
  command.action = [options](const Session&) { compare(*options); };
  return command;
}

}  // namespace larmor::app
