#include <larmor/core/format_error.hpp>
#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/coils/nlinv.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/reconstruct/calibrate.hpp>
#include <larmor/mri/reconstruct/memory.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Centre samples that are gathered, in calibration cells from the centre of k-space: the region and a margin,
// so that its edge is fitted from both sides.
constexpr double margin = 1.5;
// Samples a calibration cell, on average, that count as a sampled centre.
constexpr double samples_per_cell = 4;

struct CentralSamples {
  std::vector<double> trajectory;                         // [samples][dims]
  std::vector<std::vector<std::complex<float>>> samples;  // [coils][samples]
  Index count = 0;
};

void append_central(const PreparedImage& image, double radius, CentralSamples& central) {
  const Index samples = image.samples.shape()[1], coils = image.samples.shape()[0],
              dims = image.trajectory.shape()[1];
  central.samples.resize(static_cast<std::size_t>(coils));
  for (Index j = 0; j < samples; ++j) {
    const double* k = image.trajectory.data() + j * dims;
    if (!std::all_of(k, k + dims, [&](double value) { return std::abs(value) <= radius; })) continue;
    central.trajectory.insert(central.trajectory.end(), k, k + dims);
    for (Index c = 0; c < coils; ++c)
      central.samples[static_cast<std::size_t>(c)].push_back(image.samples[c * samples + j]);
    ++central.count;
  }
}

// Maps of one coil are 1; the data then need no calibration.
Array<std::complex<float>> uniform_map(const Shape& pixels) {
  return filled(pixels.prepend(1).prepend(1), std::complex<float>(1));
}

// The same maps as the only set.
Array<std::complex<float>> one_set(const Array<std::complex<float>>& maps) {
  return clone(maps.view().reshaped(maps.shape().prepend(1)));
}

// Maps of the slice at `position` of slices_of(plan), [sets, channels, pixels].
View<const std::complex<float>> given_slice_maps(View<const std::complex<float>> maps, Index sets,
                                                 const ScanPlan& plan, std::size_t position) {
  const Shape one = maps.shape().drop_front(maps.shape().rank() - plan.dims - 1);
  const auto slices = maps.reshaped(one.prepend(sets).prepend(maps.size() / (one.size() * sets)));
  const auto slice = slices.slice(slices.shape()[0] > 1 ? static_cast<Index>(position) : 0);
  for (Index i = 0; i < slice.size(); ++i)
    if (!std::isfinite(slice[i].real()) || !std::isfinite(slice[i].imag()))
      throw input_error("coil maps: value {} of slice {} is not a finite number", i, position);
  return slice;
}

// Coil maps [sets, channels, pixels] of a slice in the scan's channels on the solve grid, rss 1 or 0.
Array<std::complex<float>> estimate_slice_maps(const Scan& scan, const Selection& selection,
                                               std::uint16_t slice, const CoilOptions& coil_options,
                                               const PreparedImage* loaded, Context& ctx) {
  const ScanPlan& plan = selection.plan;
  const ChannelPlan& channels = selection.channels;
  const Calibration calibration = coil_options.calibration;
  const Index sets = coil_options.sets;
  const Shape pixels = plan.grids.solve_shape();
  if (plan.channels == 1) return uniform_map(pixels);
  Context host = ctx.host();
  if (calibration == Calibration::none)
    throw usage_error("no calibration leaves {} channels without coil maps", plan.channels);

  CalibrationOptions options;
  Index smallest = plan.grids.recon.matrix[0];
  for (int axis = 1; axis < plan.dims; ++axis) smallest = std::min(smallest, plan.grids.recon.matrix[axis]);
  options.fov_pixels = static_cast<double>(smallest);
  if (calibration == Calibration::nlinv) options.size = plan.dims == 2 ? 64 : 32;
  options.size = std::min(options.size, smallest);
  const double radius = margin * 0.5 * static_cast<double>(options.size) / options.fov_pixels;
  const double wanted = samples_per_cell * std::pow(static_cast<double>(options.size), plan.dims);

  CentralSamples central;
  const PlannedImage* first = nullptr;
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    const PlannedImage& image = plan.images[i];
    if (image.counters.slice != slice) continue;
    if (!first) first = &image;
    // Repetitions show the same object; contrasts, phases and sets may differ in phase.
    if (image.counters.contrast != first->counters.contrast ||
        image.counters.phase != first->counters.phase || image.counters.set != first->counters.set)
      continue;
    ctx.throw_if_cancelled();
    if (&image == first && loaded)
      append_central(*loaded, radius, central);
    else
      append_central(load_image(scan, plan, channels, i, host), radius, central);
    if (static_cast<double>(central.count) >= wanted) break;
  }

  Array<std::complex<float>> samples({channels.coils, central.count});
  for (Index c = 0; c < channels.coils; ++c)
    std::copy_n(central.samples[static_cast<std::size_t>(c)].begin(), central.count,
                samples.data() + c * central.count);
  central.samples = {};
  const View<const double> trajectory(central.trajectory.data(), {central.count, plan.dims});
  if (calibration == Calibration::nlinv) {
    NlinvOptions nlinv;
    nlinv.size = options.size;
    nlinv.fov_pixels = options.fov_pixels;
    return one_set(
        original_channel_maps(nlinv_maps(trajectory, samples, pixels, nlinv, ctx), channels.inverse, host));
  }
  const auto region = calibration_region(trajectory, samples, pixels, options, ctx);
  // No more than two arrays of maps at a time, and nothing else that is large.
  ctx.arena().release();
  samples = {};
  central = {};
  if (sets == 1) {
    const auto original = original_channel_maps(
        calibration == Calibration::walsh
            ? walsh_maps(low_resolution_images(region, pixels, host), WalshOptions{}, host)
            : espirit_maps(region, pixels, {}, ctx),
        channels.inverse, host);
    return one_set(original);
  }
  EspiritOptions espirit;
  espirit.sets = sets;
  const auto maps = espirit_maps(region, pixels, espirit, ctx);
  const auto each = maps.view().reshaped(pixels.prepend(channels.coils).prepend(sets));
  Array<std::complex<float>> result(pixels.prepend(plan.channels).prepend(sets));
  for (Index set = 0; set < sets; ++set)
    copy<float>(original_channel_maps(each.slice(set), channels.inverse, host), result.view().slice(set),
                host);
  return result;
}

}  // namespace

std::vector<std::uint16_t> slices_of(const ScanPlan& plan) {
  std::vector<std::uint16_t> slices;
  for (const PlannedImage& image : plan.images) slices.push_back(image.counters.slice);
  std::sort(slices.begin(), slices.end());
  slices.erase(std::unique(slices.begin(), slices.end()), slices.end());
  return slices;
}

Shape given_maps_pixels(View<const std::complex<float>> maps, Index sets, const ScanPlan& plan) {
  const int rank = maps.shape().rank(), one_set = plan.dims + 1, one_slice = one_set + (sets > 1 ? 1 : 0);
  const std::string one = fmt::format("{}coils, {}y, x]", sets > 1 ? fmt::format("{} sets, ", sets) : "",
                                      plan.dims == 3 ? "z, " : "");
  const std::string expected = "[" + one + (plan.dims == 3 ? "" : " or [slices, " + one);
  if (rank != one_slice && rank != one_slice + 1)
    throw input_error("coil maps have shape {}, expected {}", maps.shape().to_string(), expected);
  const Index coils = maps.shape()[rank - one_set];
  if (coils != plan.channels)
    throw input_error("coil maps of shape {} have {} coils, but the scan has {} channels; expected {}",
                      maps.shape().to_string(), coils, plan.channels, expected);
  if (sets > 1 && maps.shape()[rank - one_slice] != sets)
    throw input_error("coil maps of shape {} have {} sets, but {} are asked for", maps.shape().to_string(),
                      maps.shape()[rank - one_slice], sets);
  const auto slices = static_cast<Index>(slices_of(plan).size());
  if (rank > one_slice && maps.shape()[0] != slices)
    throw input_error("coil maps of shape {} are for {} slices, but {} are reconstructed",
                      maps.shape().to_string(), maps.shape()[0], slices);
  return maps.shape().drop_front(rank - plan.dims);
}

std::vector<Array<std::complex<float>>> maps_of_slice(const Scan& scan, const Selection& selection,
                                                      const CoilOptions& options, std::uint16_t slice,
                                                      const PreparedImage* loaded, Context& ctx) {
  Context host = ctx.host();
  Array<std::complex<float>> estimated;
  View<const std::complex<float>> original = options.maps;
  if (original.size() > 0) {
    const auto slices = slices_of(selection.plan);
    const auto position = std::find(slices.begin(), slices.end(), slice) - slices.begin();
    original = given_slice_maps(original, options.sets, selection.plan, static_cast<std::size_t>(position));
  } else {
    estimated = estimate_slice_maps(scan, selection, slice, options, loaded, ctx);
    original = estimated;
  }
  std::vector<Array<std::complex<float>>> sets;
  for (Index set = 0; set < options.sets; ++set)
    sets.push_back(apply_channel_matrix(selection.channels.matrix, original.slice(set), host));
  return sets;
}

template <typename T>
std::vector<CoilMaps<T>> coil_maps_of_slice(const Scan& scan, const Selection& selection,
                                            const CoilOptions& options, std::uint16_t slice,
                                            const PreparedImage* loaded, Placement placement, Context& ctx) {
  std::vector<CoilMaps<T>> result;
  for (auto& maps : maps_of_slice(scan, selection, options, slice, loaded, ctx)) {
    if constexpr (std::is_same_v<T, float>)
      result.emplace_back(moved_to(ctx.device(), std::move(maps), placement));
    else
      result.emplace_back(moved_to(ctx.device(), converted<std::complex<T>>(maps.view()), placement));
    maps = {};
  }
  return result;
}

Array<std::complex<float>> estimate_coil_maps(const Scan& scan, const Selection& selection, Context& ctx,
                                              std::size_t image, const CoilOptions& options) {
  const std::uint16_t slice = selection.plan.images.at(image).counters.slice;
  return moved_to(ctx.device(),
                  std::move(maps_of_slice(scan, selection, options, slice, nullptr, ctx).front()));
}

EstimatedMaps estimate_maps(Scan scan, const ReconstructOptions& options, Context& ctx) {
  ReconstructOptions estimate = options;
  estimate.coils.combine = Combine::sense;
  estimate.coils.maps = {};
  EstimatedMaps result;
  result.selection = select_scan(scan, estimate, ctx);
  const ScanPlan& plan = result.selection.plan;
  // Nothing is held but data and maps, as for one adjoint.
  ReconstructOptions one_pass;
  one_pass.solve.gridding = true;
  one_pass.coils.sets = options.coils.sets;
  const ProblemList list = plan_problems(plan, result.selection.channels.coils, one_pass);
  decide_memory(scan, plan, list, result.selection.channels.coils, one_pass, ctx);

  Context host = ctx.host();
  const auto slices = slices_of(plan);
  Shape one = plan.grids.solve_shape().prepend(plan.channels);
  if (options.coils.sets > 1) one = one.prepend(options.coils.sets);
  Array<std::complex<float>> all(one.prepend(static_cast<Index>(slices.size())));
  for (std::size_t position = 0; position < slices.size(); ++position) {
    const auto maps =
        estimate_slice_maps(scan, result.selection, slices[position], options.coils, nullptr, ctx);
    copy<float>(maps.view().reshaped(one), all.view().slice(static_cast<Index>(position)), host);
    ctx.reporter().progress("maps", static_cast<Index>(position) + 1, static_cast<Index>(slices.size()), "");
  }
  result.maps = slices.size() == 1 ? clone(all.view().reshaped(one)) : std::move(all);
  return result;
}

#define LARMOR_INSTANTIATE(T)                                                                                \
  template std::vector<CoilMaps<T>> coil_maps_of_slice<T>(const Scan&, const Selection&, const CoilOptions&, \
                                                          std::uint16_t, const PreparedImage*, Placement,    \
                                                          Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
