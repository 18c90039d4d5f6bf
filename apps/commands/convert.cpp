#include <larmor/apps/commands/convert.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/arrays/cfl.hpp>
#include <larmor/io/files/text.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/mri/reconstruct/options/memory_plan.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace larmor::app {
namespace {

struct ConvertOptions {
  ScanOptions scan;
  std::string output, trajectory_output;
  bool overwrite = false, images = false;
};

constexpr std::size_t bart_dimensions = 16, bart_coils = 3, bart_frames = 10;

/// K-space and trajectory of a scan's images.
struct ScanArrays {
  Array<std::complex<float>> kspace;  ///< [frames, coils, readouts, samples]
  Array<double> trajectory;           ///< [frames or 1, readouts, samples, dims], cycles/pixel
  std::array<Index, 3> matrix{};      ///< of the image
};

/// Throws Error (resource) if the arrays, and one image beside them, do not fit.
void require_room(const ScanPlan& plan, const ChannelPlan& channels, Machine& machine) {
  Index samples = 0, all = 0;
  for (const PlannedImage& image : plan.images) {
    samples = std::max(samples, image.samples);
    all += image.samples;
  }
  const std::size_t sample = static_cast<std::size_t>(channels.coils) * sizeof(std::complex<float>) +
                             static_cast<std::size_t>(plan.dims) * sizeof(double);
  MemoryPlan needed;
  needed.add("process and scan", resident_bytes());
  needed.add("image", static_cast<std::size_t>(samples) * sample);
  needed.add("arrays", static_cast<std::size_t>(all) * sample);
  needed.require(machine.ctx.memory_limit());
}

ScanArrays arrays_of(const Scan& scan, const PrepareOptions& prepare, Machine& machine) {
  PrepareOptions every = prepare;
  every.leave_out_empty = false;
  every.bands = {};
  every.bands.count = 1;  // the sum of the bands is written, as stored
  const ScanPlan plan = plan_scan(scan, every);
  for (const std::string& warning : plan.warnings) machine.console->warning(warning);
  const ChannelPlan channels = plan_channels(scan, plan, machine.ctx, {.whiten = false});
  require_room(plan, channels, machine);
  const Index frames = static_cast<Index>(plan.images.size());
  const bool shared = plan.coordinates->distinct() == 1;
  ScanArrays arrays{{}, {}, plan.grids.recon.matrix};
  for (Index frame = 0; frame < frames; ++frame) {
    const PreparedImage image =
        load_image(scan, plan, channels, static_cast<std::size_t>(frame), machine.ctx);
    const auto& starts = image.readout_starts;
    const Index readouts = static_cast<Index>(starts.size()) - 1, samples = starts[1] - starts[0];
    const bool even = std::adjacent_find(starts.begin(), starts.end(),
                                         [&](Index a, Index b) { return b - a != samples; }) == starts.end();
    if (!even)
      throw input_error(
          "{}: the readouts have different numbers of samples within the image's k-space, so that they "
          "cannot be written as one array",
          scan.source);
    const Index coils = channels.coils, dims = plan.dims, all = readouts * samples;
    if (frame == 0) {
      arrays.kspace = Array<std::complex<float>>({frames, coils, readouts, samples});
      arrays.trajectory = Array<double>({shared ? 1 : frames, readouts, samples, dims});
    }
    if (arrays.kspace.shape()[2] != readouts || arrays.kspace.shape()[3] != samples)
      throw input_error("{}: images have different numbers of samples: select one", scan.source)
          .about("slice");
    std::copy(image.samples.begin(), image.samples.end(), arrays.kspace.data() + frame * coils * all);
    if (frame == 0 || !shared)
      std::copy(image.trajectory.begin(), image.trajectory.end(),
                arrays.trajectory.data() + frame * all * dims);
  }
  return arrays;
}

/// Without a first axis of length 1.
template <typename T>
View<const T> without_one_frame(const Array<T>& array) {
  const Shape& shape = array.shape();
  return array.view().reshaped(shape[0] == 1 ? shape.drop_front(1) : shape);
}

void write_kspace(const std::string& path, const ScanArrays& arrays, bool overwrite) {
  const Shape& shape = arrays.kspace.shape();
  if (!path.ends_with(".cfl"))
    return write_array<std::complex<float>>(path, without_one_frame(arrays.kspace), overwrite);
  std::vector<Index> dimensions(bart_dimensions, 1);
  dimensions[1] = shape[3];
  dimensions[2] = shape[2];
  dimensions[bart_coils] = shape[1];
  dimensions[bart_frames] = shape[0];
  // In memory coils come before frames, as in the file.
  write_cfl(path, arrays.kspace.view(), dimensions, overwrite);
}

void write_trajectory(const std::string& path, const ScanArrays& arrays, bool overwrite) {
  const Shape& shape = arrays.trajectory.shape();
  if (!path.ends_with(".cfl"))
    return write_array<double>(path, without_one_frame(arrays.trajectory), overwrite);
  // Three coordinates in cycles per field of view.
  const Index dims = shape[3], samples = arrays.trajectory.size() / dims;
  Array<std::complex<float>> three({samples, 3});
  for (Index i = 0; i < samples; ++i)
    for (Index axis = 0; axis < 3; ++axis)
      three[3 * i + axis] =
          axis < dims ? static_cast<float>(arrays.trajectory[i * dims + axis] *
                                           static_cast<double>(arrays.matrix[static_cast<std::size_t>(axis)]))
                      : 0.0F;
  std::vector<Index> dimensions(bart_dimensions, 1);
  dimensions[0] = 3;
  dimensions[1] = shape[2];
  dimensions[2] = shape[1];
  dimensions[bart_frames] = shape[0];
  write_cfl(path, three.view(), dimensions, overwrite);
}

// Numbers that are not finite are kept, as far as the format can.
void warn_of_numbers(View<const std::complex<float>> values, const std::string& from, Console& console) {
  const auto count = std::count_if(values.begin(), values.end(), [](std::complex<float> value) {
    return !std::isfinite(value.real()) || !std::isfinite(value.imag());
  });
  if (count > 0)
    console.warning(fmt::format("{}: {} of {} numbers are not finite", from, count, values.size()));
}

void convert_images(const ConvertOptions& options, Console& console) {
  const std::string& from = options.scan.scan;
  const std::string& group = options.scan.group;
  if (is_for(FormatUse::array, options.output)) {
    const auto values = group.empty() ? read_array(from) : read_images(from, group).pixels;
    warn_of_numbers(values, from, console);
    return write_array<std::complex<float>>(options.output, values, options.overwrite);
  }
  StoredImages stored = read_images(from, group);
  warn_of_numbers(stored.pixels, from, console);
  const double frame_seconds = stored.frame_seconds;
  if (frame_seconds > 0 && !is_for(FormatUse::frame_times, options.output))
    console.warning(fmt::format("{}: the format does not keep the time between images, {:g} s",
                                options.output, frame_seconds));
  const WrittenFiles written = write_images(options.output, series_of(std::move(stored), from),
                                            {.overwrite = options.overwrite, .frame_seconds = frame_seconds});
  for (const std::string& warning : written.warnings) console.warning(warning);
}

void convert(ConvertOptions& options, const Session& session) {
  Machine machine(options.scan.machine, session);
  const bool from_arrays = !options.scan.kspace_file.empty();
  const bool raw = from_arrays || !options.trajectory_output.empty() ||
                   (options.scan.scan.ends_with(".h5") && !options.images);
  const bool to_scan = raw && !is_for(FormatUse::array, options.output);
  std::vector<Target> targets{{options.output, !raw      ? Content::images
                                               : to_scan ? Content::scan
                                                         : Content::array}};
  if (!options.trajectory_output.empty()) targets.push_back({options.trajectory_output, Content::array});
  check_targets(targets, options.overwrite, all_inputs(options.scan.inputs(), session));
  if (to_scan && !options.trajectory_output.empty())
    throw usage_error(
        "--trajectory-output: a scan file already contains its trajectory; leave the option out");
  if (!raw) {
    convert_images(options, *machine.console);
  } else {
    const Scan scan = read_scan(options.scan, machine);
    const GivenArrays given = read_given_arrays(options.scan);
    if (to_scan) {
      for (std::size_t i = 0; i < scan.readouts.size(); ++i) require_finite(scan, i);
      if (!scan.encodings.front().fov_known)
        machine.console->warning(fmt::format(
            "{}: its header has pixels of 1 mm, because arrays do not contain the field of view: give --fov",
            options.output));
      write_ismrmrd_raw(options.output, scan, options.overwrite);
    } else {
      const ScanArrays arrays = arrays_of(scan, options.scan.reconstruct.prepare, machine);
      write_kspace(options.output, arrays, options.overwrite);
      if (!options.trajectory_output.empty())
        write_trajectory(options.trajectory_output, arrays, options.overwrite);
    }
  }
  std::vector<std::string> outputs;
  for (const Target& target : targets) outputs.push_back(target.path);
  machine.console->say(fmt::format("{} written", join(outputs)));
  machine.print_result(session, outputs);
}

}  // namespace

Command convert_command() {
  Command command(
      "convert", "Convert scans, arrays and images into one another",
      "Examples:\n"
      "  recon convert scan.h5 -o k.npy --trajectory-output t.npy\n"
      "  recon convert --kspace k.cfl --trajectory t.cfl --matrix 256 -o scan.h5\n"
      "  recon convert image.nii.gz -o image.cfl\n"
      "Arrays of a scan are [(frames,) coils, readouts, samples] and [readouts, samples, dims] in\n"
      "cycles/pixel (.npy), or have BART's dimensions and units (.cfl). Samples are not\n"
      "whitened. Images keep their values, signs and positions; .npy and .cfl files have no position.");
  const auto options = std::make_shared<ConvertOptions>();
  const std::string arrays = extensions_for(FormatUse::array);
  command
      .text("-o,--output", "OUT", "a scan (.h5), k-space (" + arrays + ") or images (see recon run)",
            options->output)
      .required = true;
  command.text("--trajectory-output", "FILE", "the trajectory of a scan (" + arrays + ")",
               options->trajectory_output);
  command.flag("--images", "an .h5 file holds images rather than a scan", options->images);
  command.flag("-f,--overwrite", "replace outputs that exist", options->overwrite);
  add_result_option(command, options->scan.machine);
  add_scan_options(command, options->scan);
  command.option("SCAN").help =
      "a scan (.h5) or images (" + extensions_for(FormatUse::numbers) + "; .h5 with --images)";
  add_kspace_options(command, options->scan);
  command.action = [options](const Session& session) { convert(*options, session); };
  return command;
}

}  // namespace larmor::app
