#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/calibration/calibration_quality.hpp>
#include <larmor/mri/calibration/central_samples.hpp>
#include <larmor/mri/calibration/extend_maps.hpp>
#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/coils/nlinv.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/reconstruct/options/memory_plan.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/scan/prepare_channels.hpp>
#include <larmor/mri/scan/prepare_image.hpp>

#include <algorithm>
#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Maps of one coil are 1; the data then need no calibration.
Array<std::complex<float>> uniform_map(const Shape& pixels) {
  return filled(pixels.prepend(1).prepend(1), std::complex<float>(1));
}

// Maps of the slice at `position` of slices_of(plan), [sets, channels, pixels].
View<const std::complex<float>> given_slice_maps(View<const std::complex<float>> maps, Index sets,
                                                 const ScanPlan& plan, std::size_t position) {
  const Shape one = maps.shape().drop_front(maps.shape().rank() - plan.dims - 1);
  const auto slices = maps.reshaped(one.prepend(sets).prepend(maps.size() / (one.size() * sets)));
  return slices.slice(slices.shape()[0] > 1 ? static_cast<Index>(position) : 0);
}

// ESPIRiT needs a centre without holes of at least this many points across, and enough kernel positions along
// every axis; with less, another method is better.
constexpr Index least_centre = 10, least_grid = 13, least_of_nlinv = 3;

// If noise is more than this fraction of a point's energy, nlinv is better, because it fits all samples at
// once.
constexpr double most_noise = 0.045;

// A copy of the object due to holes, if at least this strong, would be mistaken for a part of the object.
constexpr double strong_copy = 0.9;

/// The samples from which a slice's maps are estimated.
struct CalibrationData {
  CentralPart central;
  Index centre = 0;  ///< points across without holes, see sampled_centre
};

// From the readouts flagged as calibration, from the images, or from both: whichever samples the larger
// centre. channels: the coils to be used.
CalibrationData calibration_data(const Scan& scan, const Selection& selection, const ChannelPlan& channels,
                                 std::uint16_t slice, const CalibrationOptions& region,
                                 const PreparedImage* loaded, Context& ctx) {
  const ScanPlan& plan = selection.plan;
  const Index size = region.size;
  const auto gathered = [&](const ScanPlan& from, const PreparedImage* at_hand) {
    CalibrationData data;
    data.central = central_samples(scan, from, channels, slice, at_hand, region, ctx);
    data.centre = sampled_centre(data.central.trajectory, plan.grids.recon_shape(), size, ctx);
    return data;
  };
  CalibrationData flagged;
  if (selection.calibration) flagged = gathered(*selection.calibration, nullptr);
  if (flagged.centre == size) return flagged;
  CalibrationData images = gathered(plan, loaded);
  if (!selection.calibration || flagged.central.trajectory.empty()) return images;
  if (std::max(flagged.centre, images.centre) < least_centre) {
    images.central = joined(images.central, flagged.central);
    images.centre = sampled_centre(images.central.trajectory, plan.grids.recon_shape(), size, ctx);
    return images;
  }
  return flagged.centre >= images.centre ? std::move(flagged) : std::move(images);
}

// Coil maps [sets, channels, pixels] of a slice in the scan's channels on the solve grid, rss 1 or 0; on the
// device that they were estimated on.
class SliceEstimate {
 public:
  SliceEstimate(const Scan& scan, const Selection& selection, std::uint16_t slice, const CoilOptions& options,
                const PreparedImage* loaded, Context& ctx)
      : channels_(selection.channels),
        plan_(selection.plan),
        pixels_(plan_.grids.solve_shape()),
        sets_(options.sets),
        used_(options.calibration),
        ctx_(ctx),
        host_(ctx.host()) {
    if (used_ == Calibration::none)
      throw usage_error("without calibration {} channels have no coil maps", plan_.channels);
    const Shape recon = plan_.grids.recon_shape();
    const Index smallest = *std::min_element(recon.begin(), recon.end());
    std::copy(recon.begin(), recon.end(), region_.fov_pixels.begin());
    const Index points = std::min(usual_nlinv_size(plan_.dims), smallest);
    if (used_ == Calibration::espirit && sets_ == 1 && smallest < least_grid && smallest >= least_of_nlinv) {
      ctx.reporter().note(
          fmt::format("the grid has {} points along an axis, ESPIRiT needs {}: coil maps by nlinv", smallest,
                      least_grid));
      used_ = Calibration::nlinv;
    }
    region_.size = used_ == Calibration::nlinv ? points : std::min(region_.size, smallest);
    gather(scan, selection, slice, loaded);
    if (used_ != Calibration::espirit || sets_ > 1 || region_.size < least_centre) return;
    const bool holes = data_.centre < least_centre;
    const double noise = !holes && channels_.whitened && plan_.dims == 2
                             ? noise_of_a_point(data_.central.trajectory, data_.central.samples,
                                                plan_.grids.recon_shape(), region_.size)
                             : 0;
    if (!holes && noise <= most_noise) return;
    ctx.reporter().note(holes ? fmt::format("the centre of k-space is undersampled ({} of {} central points "
                                            "without holes, ESPIRiT needs {}): coil maps by nlinv",
                                            data_.centre, region_.size, least_centre)
                              : fmt::format("the centre of k-space is noisy ({:.2g} of the energy of a "
                                            "point, ESPIRiT allows {}): coil maps by nlinv",
                                            noise, most_noise));
    const double copy =
        holes ? strongest_copy(data_.central.trajectory, plan_.grids.recon_shape(), region_.size, ctx_) : 0;
    if (copy > strong_copy)
      ctx.reporter().warning(
          fmt::format("the centre of k-space is sampled on a lattice with holes: shifted copies of the "
                      "object (strength {:.2g}) explain the data equally well, and the image may be aliased; "
                      "give coil maps, or calibration readouts of another scan",
                      copy));
    used_ = Calibration::nlinv;
    region_.size = points;
    gather(scan, selection, slice, loaded);
  }

  Calibration used() const { return used_; }

  // See extend_maps.hpp; before maps().
  double energy_beyond(const Shape& inner) {
    return larmor::energy_beyond(data_.central.trajectory, data_.central.samples, pixels_, inner,
                                 region_.size, ctx_);
  }

  Array<std::complex<float>> maps() {
    if (used_ == Calibration::nlinv) {
      NlinvOptions nlinv{.size = region_.size, .fov_pixels = region_.fov_pixels[0]};
      nlinv.noise_variance = channels_.noise_variance;
      require_room(nlinv);
      return original(nlinv_maps(data_.central.trajectory, data_.central.samples, pixels_, nlinv, ctx_));
    }
    if (!has_holes()) {
      auto central = std::move(data_.central);
      return of_centre(region_.size, central, true);
    }
    // Holes with weak signal do less harm than a small centre: the maps that explain more of the data are
    // used.
    auto all = moved_to(Device::cpu(), of_centre(region_.size, data_.central, false));
    auto centre = within(data_.central, data_.centre);
    auto inner = of_centre(data_.centre, centre, true);
    const double left = unexplained(all), left_inner = unexplained(inner);
    ctx_.reporter().note(
        fmt::format("the centre of k-space has holes outside {} of {} central points: maps from the {} leave "
                    "{:.3g} of its energy unexplained, those from the {} {:.3g}",
                    data_.centre, region_.size, region_.size, left, data_.centre, left_inner));
    return left_inner < left ? std::move(inner) : std::move(all);
  }

 private:
  // Differences in the outermost quarter are insignificant.
  bool has_holes() const {
    return used_ == Calibration::espirit && sets_ == 1 && 4 * data_.centre < 3 * region_.size &&
           data_.centre >= least_centre;
  }

  // The samples of all coils.
  void gather(const Scan& scan, const Selection& selection, std::uint16_t slice,
              const PreparedImage* loaded) {
    const double smallest =
        *std::min_element(region_.fov_pixels.begin(), region_.fov_pixels.begin() + plan_.dims);
    if (used_ == Calibration::nlinv) region_.fov_pixels.fill(smallest);
    data_ = calibration_data(scan, selection, channels_, slice, region_, loaded, ctx_);
  }

  // The plan of the reconstruction does not count NLINV if the data decide for it.
  void require_room(const NlinvOptions& options) const {
    if (ctx_.on_gpu()) return;
    const Shape& samples = data_.central.samples.shape();
    MemoryPlan needed;
    needed.add("process", resident_bytes());
    needed.add("nlinv", nlinv_bytes(pixels_, samples[1], samples[0], options, ctx_));
    needed.require(ctx_.memory_limit());
  }

  // The sets in order.
  Array<std::complex<float>> original(const Array<std::complex<float>>& maps) {
    const Shape pixels = maps.shape().drop_front(maps.shape().rank() - pixels_.rank());
    const auto each = maps.view().reshaped(pixels.prepend(channels_.coils).prepend(sets_));
    const Shape shape = pixels.prepend(plan_.channels).prepend(sets_);
    Array<std::complex<float>> result(shape, maps.device(), maps.placement());
    Context& ctx = maps.device().on_gpu() ? ctx_ : host_;
    for (Index set = 0; set < sets_; ++set)
      original_channel_maps(each.slice(set), channels_.inverse, result.view().slice(set), ctx);
    return result;
  }

  // Samples within this number of points: those beyond it have gaps between them, which would make the fit
  // alias.
  CentralPart within(const CentralPart& central, Index size) {
    PerAxis limit{};
    for (int axis = 0; axis < plan_.dims; ++axis)
      limit[static_cast<std::size_t>(axis)] =
          0.5 * static_cast<double>(size + 1) / static_cast<double>(plan_.grids.recon.matrix[axis]);
    return central_part(central.trajectory, central.samples, {1, 1, 1}, limit, host_);
  }

  // By ESPIRiT or the adaptive combination, from this number of points across. last: the samples are not
  // needed afterwards.
  Array<std::complex<float>> of_centre(Index size, CentralPart& central, bool last) {
    CalibrationOptions options = region_;
    options.size = size;
    const Shape& values = central.samples.shape();
    const std::size_t bytes = calibration_region_bytes(pixels_, values[1], values[0], options, ctx_);
    Context& fitting = calibration_placement(bytes, ctx_) == Placement::device ? ctx_ : host_;
    const auto region = calibration_region(central.trajectory, central.samples, pixels_, options, fitting);
    // At most two arrays of maps exist at a time, and no other large array.
    ctx_.arena().release();
    if (last) central = {};
    if (used_ == Calibration::walsh)
      return original(walsh_maps(low_resolution_images(region, pixels_, host_), WalshOptions{}, host_));
    EspiritOptions espirit;
    espirit.sets = sets_;
    // Aliasing due to holes reaches beyond the edge of the region.
    if (has_holes() && size == region_.size) espirit.least_threshold = espirit.threshold;
    // A small centre has few kernel positions: a smaller kernel is used.
    if (size < region_.size && plan_.dims == 2 && size < 14) espirit.kernel = 4;
    if (size < region_.size && plan_.dims == 3 && size < 12) espirit.kernel = 3;
    return original(espirit_maps(region, pixels_, espirit, ctx_));
  }

  double unexplained(const Array<std::complex<float>>& maps) {
    return unexplained_energy(
        data_.central.trajectory, data_.central.samples,
        apply_channel_matrix(channels_.matrix, copied_to(Device::cpu(), maps.view().slice(0)), host_),
        2 * region_.size, ctx_);
  }

  const ChannelPlan& channels_;
  const ScanPlan& plan_;
  const Shape pixels_;
  const Index sets_;
  Calibration used_;
  CalibrationOptions region_;
  CalibrationData data_;
  Context& ctx_;
  Context host_;
};

}  // namespace

namespace {

// Estimated together from the data of all bands, which are separated by their phases.
Array<std::complex<float>> joint_band_maps(const MapsInput& input, Context& ctx) {
  const ScanPlan& plan = input.selection.plan;
  const ChannelPlan& channels = input.selection.channels;
  Context host = ctx.host();
  const auto image = std::find_if(plan.images.begin(), plan.images.end(),
                                  [&](const PlannedImage& one) { return one.counters.slice == input.slice; });
  PreparedImage read;
  if (!input.loaded)
    read =
        load_image(input.scan, plan, channels, static_cast<std::size_t>(image - plan.images.begin()), host);
  const PreparedImage& data = input.loaded ? *input.loaded : read;
  const Shape recon = plan.grids.recon_shape(), pixels = plan.grids.solve_shape();
  Array<std::complex<double>> quotient({data.bands.shape()[0]});
  for (Index b = 1; b < plan.bands.count; ++b) {
    for (Index j = 0; j < quotient.size(); ++j)
      quotient[j] = data.bands.view().slice(j)[b] * std::conj(data.bands.view().slice(j)[0]);
    if (strongest_copy(data.trajectory, recon, least_centre, ctx, quotient) > strong_copy)
      throw usage_error(
          "the phases of bands 0 and {} only displace one relative to the other, so that the scan does not "
          "determine their coil maps: give maps, or a scan or calibration readouts of single bands",
          b)
          .about("maps,calibration");
  }
  ctx.reporter().note("there are no readouts of single bands: coil maps of all bands together by nlinv");
  const Index smallest = *std::min_element(recon.begin(), recon.end());
  NlinvOptions nlinv{.size = std::min<Index>(64, smallest), .fov_pixels = static_cast<double>(smallest)};
  nlinv.noise_variance = channels.noise_variance;
  const auto maps = nlinv_maps(data.trajectory, data.samples, pixels, nlinv, ctx, data.bands);
  Array<std::complex<float>> result(pixels.prepend(plan.channels).prepend(plan.bands.count));
  for (Index b = 0; b < plan.bands.count; ++b)
    original_channel_maps(maps.view().slice(b), channels.inverse, result.view().slice(b), host);
  return result;
}

// Maps [bands, channels, pixels], each from the calibration readouts of that slice.
Array<std::complex<float>> estimate_band_maps(const MapsInput& input, Context& ctx, Calibration* used) {
  const Selection& selection = input.selection;
  const ScanPlan& plan = selection.plan;
  const auto measured =
      selection.calibration ? slices_of(*selection.calibration) : std::vector<std::uint16_t>{};
  const auto missing = [&](Index band) {
    return !std::binary_search(measured.begin(), measured.end(), plan.bands.slice(input.slice, band));
  };
  Index count = 0, first = 0;
  for (Index b = plan.bands.count; b-- > 0;)
    if (missing(b)) ++count, first = b;
  if (count > 0 && count < plan.bands.count)
    throw input_error("calibration readouts of single bands lack slice {}, band {} of slice {}",
                      plan.bands.slice(input.slice, first), first, input.slice)
        .about("maps,calibration");
  if (count > 0) {
    if (used) *used = Calibration::nlinv;
    return joint_band_maps(input, ctx);
  }
  const Selection single{*selection.calibration, copy_of(selection.channels), std::nullopt, {}};
  Array<std::complex<float>> result(
      plan.grids.solve_shape().prepend(plan.channels).prepend(plan.bands.count));
  for (Index b = 0; b < plan.bands.count; ++b) {
    SliceEstimate estimate(input.scan, single, plan.bands.slice(input.slice, b), input.options, nullptr, ctx);
    if (used) *used = estimate.used();
    const auto maps = estimate.maps();
    const auto band = result.view().slice(b);
    copy_bytes(band.data(), Device::cpu(), maps.data(), maps.device(), band.bytes());
  }
  return result;
}

}  // namespace

Array<std::complex<float>> estimate_slice_maps(const MapsInput& input, Context& ctx, Calibration* used) {
  const BandPlan& bands = input.selection.plan.bands;
  if (input.selection.plan.channels == 1 && bands.several())
    return filled(input.selection.plan.grids.solve_shape().prepend(1).prepend(bands.count),
                  std::complex<float>(1));
  if (bands.several()) return estimate_band_maps(input, ctx, used);
  if (input.selection.plan.channels == 1) return uniform_map(input.selection.plan.grids.solve_shape());
  SliceEstimate estimate(input.scan, input.selection, input.slice, input.options, input.loaded, ctx);
  if (used) *used = estimate.used();
  return estimate.maps();
}

namespace {

// If less than this fraction of the energy is outside the given maps, there is no object outside.
constexpr double nothing_beyond = 1e-3;

// Given maps [sets, channels, pixels] of the recon grid, on the solve grid.
Array<std::complex<float>> extended_slice_maps(const Scan& scan, const Selection& selection,
                                               std::uint16_t slice, CoilOptions options,
                                               View<const std::complex<float>> given,
                                               const PreparedImage* loaded, Context& ctx) {
  Context host = ctx.host();
  const Shape pixels = selection.plan.grids.solve_shape();
  if (options.calibration == Calibration::none) options.calibration = Calibration::espirit;
  Array<std::complex<float>> estimated;
  try {
    if (selection.plan.channels == 1) {
      estimated = uniform_map(pixels);
    } else {
      SliceEstimate estimate(scan, selection, slice, options, loaded, ctx);
      const Shape inner = given.shape().drop_front(2);
      bool ends = true;
      for (Index set = 0; set < options.sets; ++set) ends = ends && zero_at_border(given.slice(set));
      if (const double beyond = ends ? estimate.energy_beyond(inner) : 1; beyond < nothing_beyond) {
        ctx.reporter().note(
            fmt::format("the object lies inside the given coil maps ({:.2g} of its energy is outside): maps "
                        "are set to zero outside",
                        beyond));
        return extended<std::complex<float>>(given, pixels, std::complex<float>(0));
      }
      estimated = estimate.maps();
    }
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::input) throw;
    ctx.reporter().warning(std::string("outside the given coil maps their nearest values are used: ") +
                           error.what());
    return extended<std::complex<float>>(given, pixels, std::nullopt);
  }
  Array<std::complex<float>> result(estimated.shape());
  for (Index set = 0; set < options.sets; ++set)
    copy<float>(extended_maps(given.slice(set), estimated.view().slice(set), host), result.view().slice(set),
                host);
  return result;
}

// Maps [sets, channels, pixels] in the channels of the data, set by set. estimated: owner of `original`,
// unless that was given.
std::vector<Array<std::complex<float>>> mixed(Array<std::complex<float>> estimated,
                                              View<const std::complex<float>> original,
                                              const Selection& selection, Index count, Placement placement,
                                              Context& ctx) {
  // Mixed on the device of the estimate, so that maps from a file give the same bits as estimated ones.
  if (ctx.on_gpu() && !original.device().on_gpu()) {
    estimated = copied_to(ctx.device(), original, calibration_placement(original.bytes(), ctx));
    original = estimated;
  }
  std::vector<Array<std::complex<float>>> sets;
  const Shape shape = original.shape().drop_front(2).prepend(selection.channels.coils);
  for (Index set = 0; set < count; ++set) {
    sets.emplace_back(shape, ctx.device(), ctx.on_gpu() ? placement : Placement::device);
    apply_channel_matrix(selection.channels.matrix, original.slice(set), sets.back(), ctx);
  }
  return sets;
}

// Given maps [bands, channels, pixels] of a group of slices. Outside, their nearest values are used.
Array<std::complex<float>> given_band_maps(const MapsInput& input, View<const std::complex<float>> given) {
  const ScanPlan& plan = input.selection.plan;
  const Shape pixels = plan.grids.solve_shape();
  const auto slices = slices_of(plan);
  Array<std::complex<float>> result(pixels.prepend(plan.channels).prepend(plan.bands.count));
  for (Index b = 0; b < plan.bands.count; ++b) {
    const auto place = std::find(slices.begin(), slices.end(), plan.bands.slice(input.slice, b));
    const auto maps = extended<std::complex<float>>(
        given_slice_maps(given, 1, plan, static_cast<std::size_t>(place - slices.begin())), pixels,
        std::nullopt);
    std::copy(maps.begin(), maps.end(), result.view().slice(b).begin());
  }
  return result;
}

}  // namespace

std::vector<std::uint16_t> slices_of(const ScanPlan& plan) {
  std::vector<std::uint16_t> slices;
  for (const PlannedImage& image : plan.images)
    for (Index band = 0; band < plan.bands.count; ++band)
      slices.push_back(plan.bands.slice(image.counters.slice, band));
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
    throw input_error("coil maps have shape {}, expected {}", maps.shape().to_string(), expected)
        .about("maps");
  const Index coils = maps.shape()[rank - one_set];
  if (coils != plan.channels)
    throw input_error("coil maps of shape {} have {} coils, but the scan has {} channels; expected {}",
                      maps.shape().to_string(), coils, plan.channels, expected)
        .about("maps");
  if (sets > 1 && maps.shape()[rank - one_slice] != sets)
    throw input_error("coil maps of shape {} have {} sets, but {} are requested", maps.shape().to_string(),
                      maps.shape()[rank - one_slice], sets)
        .about("maps");
  const auto slices = static_cast<Index>(slices_of(plan).size());
  if (plan.bands.several() && rank == one_slice)
    throw input_error(
        "coil maps of shape {} are of one slice, but {} are reconstructed at a time; expected "
        "[slices, coils, y, x]",
        maps.shape().to_string(), plan.bands.count)
        .about("maps");
  if (rank > one_slice && maps.shape()[0] != slices) {
    const bool of_sets = sets == 1 && slices == 1;
    throw input_error("coil maps of shape {} are for {} slices, but {} are reconstructed{}",
                      maps.shape().to_string(), maps.shape()[0], slices,
                      of_sets ? perhaps_sets(maps.shape()[0]) : "")
        .about(of_sets ? "maps,sets" : "maps");
  }
  return maps.shape().drop_front(rank - plan.dims);
}

std::string calibration_name(const ScanPlan& plan, const CoilOptions& options) {
  if (options.combine != Combine::sense) return "none";
  if (options.maps.size() > 0) return "given";
  return plan.channels == 1 ? "none" : to_string(options.calibration);
}

std::vector<Array<std::complex<float>>> maps_of_slice(const MapsInput& input, Context& ctx,
                                                      Calibration* used) {
  const auto& [scan, selection, options, slice, loaded, placement] = input;
  Array<std::complex<float>> estimated;
  View<const std::complex<float>> original = selection.given_maps(options);
  const Index sets = selection.plan.bands.several() ? selection.plan.bands.count : options.sets;
  if (original.size() > 0 && selection.plan.bands.several()) {
    estimated = given_band_maps(input, original);
    original = estimated;
  } else if (original.size() > 0) {
    const auto slices = slices_of(selection.plan);
    const auto position = std::find(slices.begin(), slices.end(), slice) - slices.begin();
    original = given_slice_maps(original, options.sets, selection.plan, static_cast<std::size_t>(position));
    if (original.shape().drop_front(2) != selection.plan.grids.solve_shape()) {
      estimated = extended_slice_maps(scan, selection, slice, options, original, loaded, ctx);
      original = estimated;
    }
  } else {
    estimated = estimate_slice_maps(input, ctx, used);
    original = estimated;
  }
  return mixed(std::move(estimated), original, selection, sets, placement, ctx);
}

}  // namespace larmor
