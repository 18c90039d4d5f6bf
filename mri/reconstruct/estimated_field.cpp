#include <larmor/core/format_error.hpp>
#include <larmor/mri/calibration/field_of_echoes.hpp>
#include <larmor/mri/reconstruct/estimated_field.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace LARMOR_API larmor {
namespace {

// Times that are those of other echoes, or in other units, give another field.
void check_times(const Scan& scan, const std::vector<double>& echo_times_ms, Context& ctx) {
  std::size_t contrasts = 0;
  double dwell_ms = 0;
  for (const Readout& readout : scan.readouts) {
    if (readout.header.has(AcquisitionFlag::noise)) continue;
    contrasts = std::max(contrasts, std::size_t{readout.header.counters.contrast} + 1);
    dwell_ms = 1e-3 * static_cast<double>(readout.header.sample_time_us);
  }
  if (echo_times_ms.size() > contrasts)
    ctx.reporter().warning(fmt::format("{} echo times, but {} contrasts: the first {} are used",
                                       echo_times_ms.size(), contrasts, contrasts));
  std::vector<double> times(
      echo_times_ms.begin(),
      echo_times_ms.begin() + static_cast<std::ptrdiff_t>(std::min(contrasts, echo_times_ms.size())));
  std::sort(times.begin(), times.end());
  for (std::size_t e = 1; e < times.size(); ++e)
    if (const double step = times[e] - times[e - 1]; step > 0 && step < dwell_ms)
      throw usage_error(
          "echoes at {:.9g} and {:.9g} ms, closer than two samples of a readout ({:g} ms): check the "
          "unit of the echo times",
          times[e - 1], times[e], dwell_ms)
          .about("echo_times");
}

}  // namespace

ImageSeries estimate_field_map(Scan scan, const ReconstructOptions& options,
                               const std::vector<double>& echo_times_ms, Context& ctx) {
  const std::string source = scan.source;
  check_times(scan, echo_times_ms, ctx);
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
