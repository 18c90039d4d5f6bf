#include <larmor/apps/commands/compare.hpp>
#include <larmor/apps/output/console.hpp>
#include <larmor/apps/output/metrics.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
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

/// Points [samples, dims] of a file: a trajectory in cycles/pixel, or that of the first image of a scan,
/// whose grid images of `shape` must have.
Array<double> trajectory_of(const std::string& path, const Shape& shape) {
  if (path.ends_with(".h5")) {
    const Scan scan = read_ismrmrd(path);
    const ScanPlan plan = plan_scan(scan, {});
    const Shape recon = plan.grids.recon_shape(), solve = plan.grids.solve_shape();
    const Shape spatial = shape.drop_front(std::max(0, shape.rank() - plan.dims));
    if (spatial != recon && spatial != solve)
      throw input_error(
          "the images have the shape {}, those of {} have {}: give its trajectory in cycles/pixel",
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

/// 1 where images of `shape` are judged in k-space, on their spatial axes.
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

/// The pixels of a file as they are compared.
Array<std::complex<float>> image(const std::string& path, const CompareOptions& options, Context& ctx) {
  Array<std::complex<float>> pixels = read_array(path);
  const Shape shape = squeezed(pixels.shape());
  if (!options.inside.empty() && shape.rank() >= 2)
    pixels = inside_of_kspace(pixels.view().reshaped(shape), region_of(options.inside, shape, ctx), ctx);
  if (options.magnitude) {
    for (auto& pixel : pixels) pixel = std::abs(pixel);
  }
  return pixels;
}

double fraction_of(const std::string& text) {
  try {
    return number_in(text, 0, 1);
  } catch (const Error&) {
    throw usage_error(
        "--mask {}: there is no such file, and a part of the reference's maximum is from 0 to 1", text);
  }
}

/// A file's pixels that are not zero, or those of the reference over a fraction of its maximum.
Array<float> mask_of(const std::string& text, const Shape& shape, const std::string& reference) {
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
  const Array<std::complex<float>> pixels = read_array(text);
  const Shape mask_shape = squeezed(pixels.shape());
  const int leading = shape.rank() - mask_shape.rank();
  if (leading < 0 || shape.drop_front(leading) != mask_shape)
    throw input_error("the mask {} has the shape {}, the images have {}", text, mask_shape.to_string(),
                      shape.to_string());
  // A mask of one image serves all images of a series.
  for (Index i = 0; i < mask.size(); ++i) mask[i] = pixels[i % pixels.size()] != 0.0F ? 1.0F : 0.0F;
  return mask;
}

void compare(const CompareOptions& options) {
  Context ctx(Device::cpu());
  const Array<std::complex<float>> a = image(options.image, options, ctx);
  const Array<std::complex<float>> b = image(options.reference, options, ctx);
  Array<float> mask;
  const Shape shape = squeezed(b.shape());
  if (squeezed(a.shape()) != shape)
    throw input_error("{} has the shape {}, {} has {}: expected the same", options.image,
                      a.shape().to_string(), options.reference, b.shape().to_string());
  if (!options.mask.empty()) mask = mask_of(options.mask, shape, options.reference);
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
      "compare", "Measure how an image differs from a reference",
      "Example:\n"
      "  recon compare image.npy truth.npy --mask head.npy\n"
      "  recon compare image.npy truth.npy --inside scan.h5 --mask 0.03\n"
      "The nrmse is relative to the norm of the reference. psnr and ssim are those of magnitudes.\n"
      "What a scan never sampled is no fault of its image: --inside takes k-space beyond the scan off both.");
  const auto options = std::make_shared<CompareOptions>();
  command.word("A", "image (" + extensions_for(FormatUse::numbers) + ")", options->image).required = true;
  command.word("B", "reference of the same shape", options->reference).required = true;
  command.text(
      "--mask", "FILE|FRACTION",
      "compare only where this image is not zero, or where the reference is over this fraction of its "
      "maximum",
      options->mask);
  command.text(
      "--inside", "TRAJECTORY|ball|disc",
      "compare only what k-space holds within the convex hull of a trajectory (a scan, or [samples, "
      "dims] in cycles/pixel as .npy), within the ball |k| <= 0.5 of the last three axes, or the disc of "
      "the last two",
      options->inside);
  command.flag("--magnitude", "compare magnitudes", options->magnitude);
  command.value("--memory", "BYTES", "memory that the images may take, such as 4G (default: what is free)",
                [](const std::string& text) { limit_host_arrays(parse_bytes(text)); });
  command.flag("--json", "print JSON instead of a table", options->json);
  command.action = [options](const Session&) { compare(*options); };
  return command;
}

}  // namespace larmor::app
