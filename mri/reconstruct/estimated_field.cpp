#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/field_of_echoes.hpp>
#include <larmor/mri/reconstruct/estimated_field.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace LARMOR_API larmor {

ImageSeries estimate_field_map(Scan scan, const ReconstructOptions& options,
                               const std::vector<double>& echo_times_ms, Context& ctx) {
  const std::string source = scan.source;
  ReconstructOptions echoes = options;
  echoes.coils.combine = Combine::sense;
  Reconstruction reconstruction = reconstruct(std::move(scan), echoes, ctx);
  std::map<std::uint16_t, std::map<std::uint16_t, const Image*>> slices;
  for (const Image& image : reconstruction.series.images) {
    const auto [slice, contrast] = std::pair(image.counters.slice, image.counters.contrast);
    if (contrast >= echo_times_ms.size())
      throw usage_error("{} has a contrast {}, but {} echo times are known: give one for each contrast",
                        source, contrast, echo_times_ms.size());
    if (!slices[slice].emplace(contrast, &image).second)
      throw usage_error("slice {} has several images of contrast {}: select one repetition, phase and set",
                        slice, contrast);
  }
  ImageSeries result;
  result.kind = ImageKind::real;
  result.ismrmrd_header = std::move(reconstruction.series.ismrmrd_header);
  for (const auto& [slice, contrasts] : slices) {
    if (contrasts.size() < 2)
      throw input_error("{} has one echo of slice {}: a field map needs contrasts of two or more echo times",
                        source, slice);
    const Image& first = *contrasts.begin()->second;
    Array<std::complex<float>> images(first.pixels.shape().prepend(static_cast<Index>(contrasts.size())));
    std::vector<double> times;
    for (const auto& [contrast, image] : contrasts) {
      std::copy(image->pixels.begin(), image->pixels.end(),
                images.data() + static_cast<Index>(times.size()) * first.pixels.size());
      times.push_back(1e-3 * echo_times_ms[contrast]);
    }
    Image map{converted<std::complex<float>>(field_of_echoes(images, times, ctx).view()), first.geometry,
              first.counters, first.acquisition_time_stamp};
    result.images.push_back(std::move(map));
  }
  return result;
}

}  // namespace larmor
