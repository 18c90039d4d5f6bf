#include <larmor/apps/commands.hpp>
#include <larmor/apps/console.hpp>
#include <larmor/apps/metrics.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/core/planner.hpp>
#include <larmor/io/formats.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace larmor::app {
namespace {

struct CompareOptions {
  std::string image, reference, mask;
  bool magnitude = false;
  bool json = false;
};

/// Without leading axes of length 1, so that [1, 1, y, x] and [y, x] are the same image.
Shape squeezed(Shape shape) {
  while (shape.rank() > 2 && shape[0] == 1) shape = shape.drop_front(1);
  return shape;
}

Array<std::complex<float>> image(const std::string& path, bool magnitude) {
  Array<std::complex<float>> pixels = read_array(path);
  if (magnitude) {
    for (auto& pixel : pixels) pixel = std::abs(pixel);
  }
  return pixels;
}

void compare(const CompareOptions& options) {
  const Array<std::complex<float>> a = image(options.image, options.magnitude);
  const Array<std::complex<float>> b = image(options.reference, options.magnitude);
  Array<float> mask;
  const Shape shape = squeezed(b.shape());
  if (squeezed(a.shape()) != shape)
    throw input_error("{} has the shape {}, {} has {}: expected the same", options.image,
                      a.shape().to_string(), options.reference, b.shape().to_string());
  if (!options.mask.empty()) {
    const Array<std::complex<float>> pixels = read_array(options.mask);
    const Shape mask_shape = squeezed(pixels.shape());
    const int leading = shape.rank() - mask_shape.rank();
    if (leading < 0 || shape.drop_front(leading) != mask_shape)
      throw input_error("the mask {} has the shape {}, the images have {}", options.mask,
                        mask_shape.to_string(), shape.to_string());
    // A mask of one image serves all images of a series.
    mask = Array<float>(shape);
    for (Index i = 0; i < mask.size(); ++i) mask[i] = pixels[i % pixels.size()] != 0.0F ? 1.0F : 0.0F;
  }
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
      "The nrmse is relative to the norm of the reference. psnr and ssim are those of magnitudes.");
  const auto options = std::make_shared<CompareOptions>();
  command.word("A", "image (.npy .cfl .nii .nii.gz .h5)", options->image).required = true;
  command.word("B", "reference of the same shape", options->reference).required = true;
  command.text("--mask", "FILE", "compare only where this image is not zero", options->mask);
  command.flag("--magnitude", "compare magnitudes", options->magnitude);
  command.value("--memory", "BYTES", "memory that the images may take, such as 4G (default: what is free)",
                [](const std::string& text) { limit_host_arrays(parse_bytes(text)); });
  command.flag("--json", "print JSON instead of a table", options->json);
  command.action = [options](const Session&) { compare(*options); };
  return command;
}

}  // namespace larmor::app
