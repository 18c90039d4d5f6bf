#include <larmor/apps/commands/match.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/mri/dictionary/match.hpp>
#include <larmor/options/reconstruction/dictionary.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace larmor::app {
namespace {

struct MatchOptions {
  std::string images, output, dictionary, basis, values, names;
  Index coefficients = 0;
  double mask = 0;
  bool overwrite = false;
  MachineOptions machine;
};

constexpr const char* density_name = "PD";

std::string target_of(const MatchOptions& options, const std::string& map) {
  return with_suffix(options.output, "-" + map);
}

std::unique_ptr<SubspaceBasis> basis_of(const MatchOptions& options, const SignalDictionary& dictionary) {
  if (!options.basis.empty()) {
    const auto given = converted<std::complex<double>>(read_array(options.basis).view());
    return std::make_unique<SubspaceBasis>(given_subspace(given, dictionary.curves.shape()[1]));
  }
  if (options.coefficients == 0) return nullptr;
  return std::make_unique<SubspaceBasis>(subspace_from_dictionary(dictionary.curves, options.coefficients));
}

/// The file's images; an array without positions is [images, (z,) y, x].
ImageSeries frames_in(const std::string& path) {
  StoredImages stored = read_images(path);
  require_representable<std::complex<float>>(path, stored.pixels);
  const Shape shape = stored.pixels.shape();
  if (stored.images.empty() && shape.rank() == 3)
    stored.pixels = clone(stored.pixels.view().reshaped({shape[0], 1, shape[1], shape[2]}));
  return series_of(std::move(stored), path);
}

/// The images of each slice, in the file's order, as one array [images, z, y, x].
std::map<std::uint16_t, std::vector<const Image*>> by_slice(const ImageSeries& series,
                                                            const std::string& path) {
  std::map<std::uint16_t, std::vector<const Image*>> slices;
  for (const Image& image : series.images) {
    if (image.pixels.shape().rank() != 3)
      throw input_error("{} has images of single coils, expected combined ones", path);
    slices[image.counters.slice].push_back(&image);
  }
  return slices;
}

Array<std::complex<float>> side_by_side(const std::vector<const Image*>& images) {
  const Shape& shape = images.front()->pixels.shape();
  Array<std::complex<float>> all(shape.prepend(static_cast<Index>(images.size())));
  for (std::size_t i = 0; i < images.size(); ++i)
    std::copy(images[i]->pixels.begin(), images[i]->pixels.end(),
              all.data() + static_cast<Index>(i) * shape.size());
  return all;
}

/// Root sum of squares of each voxel of several images.
std::vector<float> strength_of(const std::vector<const Image*>& images) {
  std::vector<float> result(static_cast<std::size_t>(images.front()->pixels.size()), 0.0F);
  for (const Image* image : images)
    for (Index p = 0; p < image->pixels.size(); ++p)
      result[static_cast<std::size_t>(p)] += std::norm(image->pixels[p]);
  for (float& value : result) value = std::sqrt(value);
  return result;
}

void match(const MatchOptions& options, const Session& session) {
  Machine machine(options.machine, session);
  // Names of outputs depend on the dictionary, which is read first because it is small.
  const SignalDictionary dictionary =
      read_dictionary(options.dictionary, options.values, options.names, machine.ctx);
  std::vector<std::string> names = dictionary.names;
  names.emplace_back(density_name);
  std::vector<Target> targets;
  for (const std::string& name : names) targets.push_back({target_of(options, name), Content::images});
  check_targets(
      targets, options.overwrite,
      all_inputs({options.images, file_of_signals(options.dictionary), options.basis, options.values},
                 session));
  const auto basis = basis_of(options, dictionary);
  const ImageSeries series = frames_in(options.images);
  if (basis && series.kind == ImageKind::magnitude)
    throw input_error(
        "{} holds magnitudes, but coefficients of a basis have signs and phases: write them by recon run "
        "--complex",
        options.images);
  std::vector<ImageSeries> maps(names.size());
  for (ImageSeries& map : maps) {
    map.kind = ImageKind::real;
    map.ismrmrd_header = series.ismrmrd_header;
  }
  const auto slices = by_slice(series, options.images);
  float strongest = 0;
  for (const auto& [slice, images] : slices)
    for (const float value : strength_of(images)) strongest = std::max(strongest, value);
  for (const auto& [slice, images] : slices) {
    const MatchedMaps matched = match_dictionary(side_by_side(images), dictionary, basis.get(), machine.ctx);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      Image& image = maps[i].images.emplace_back();
      image.geometry = images.front()->geometry;
      image.counters.slice = slice;
      image.acquisition_time_stamp = images.front()->acquisition_time_stamp;
      if (i < matched.parameters.size())
        image.pixels = converted<std::complex<float>>(matched.parameters[i].view());
      else
        image.pixels = clone(matched.proton_density.view());
      const auto strength = strength_of(images);
      for (Index p = 0; p < image.pixels.size(); ++p) {
        const bool dark =
            strength[static_cast<std::size_t>(p)] < static_cast<float>(options.mask) * strongest;
        image.pixels[p] = dark ? 0 : std::abs(image.pixels[p]);
      }
    }
  }
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    outputs.push_back(targets[i].path);
    const WrittenFiles written = write_images(targets[i].path, maps[i], {.overwrite = options.overwrite});
    for (const std::string& warning : written.warnings) machine.console->warning(warning);
  }
  machine.console->say(fmt::format("{} from {} time courses in {}", fmt::join(names, ", "),
                                   dictionary.curves.shape()[0], fmt::join(outputs, ", ")));
  machine.print_result(session, outputs);
}

}  // namespace

Command match_command() {
  Command command(
      "match", "Estimate tissue parameters from a series of images with a signal dictionary",
      "Example:\n"
      "  recon run scan.h5 -o c.nii.gz --complex --dictionary spin-echo:TE=10:echoes=32 --coefficients 3\n"
      "  recon match c.nii.gz -o map.nii.gz --dictionary spin-echo:TE=10:echoes=32 --coefficients 3\n"
      "The second command writes map-T2.nii.gz (ms) and map-PD.nii.gz.");
  const auto options = std::make_shared<MatchOptions>();
  command
      .word("IMAGES",
            "frames, or coefficients written by recon run --complex (" + extensions_for(FormatUse::numbers) +
                ")",
            options->images)
      .required = true;
  command
      .text("-o,--output", "OUT",
            "maps OUT-T1, OUT-T2 in ms, OUT-PD (" + extensions_for(FormatUse::images) + ")", options->output)
      .required = true;
  command
      .text("--dictionary", "MODEL|FILE",
            "time courses: a signal model (" + signal_models_help() + "), or an array [entries, frames]",
            options->dictionary)
      .required = true;
  command.value("--coefficients", "N", "the images are the N coefficients of recon run with this dictionary",
                [options](const std::string& text) { options->coefficients = count_in(text, 1, 64); });
  command.text("--basis", "FILE", "the images are coefficients of this basis [frames, coefficients]",
               options->basis);
  command.text("--values", "FILE",
               "parameters of the entries of a dictionary from a file: [entries, parameters]",
               options->values);
  command.text("--names", "NAME[,NAME...]", "names of these parameters, such as T1,T2", options->names);
  command.number(
      "--mask", "FRACTION",
      "maps are 0 where the root sum of squares of the images is below this fraction of its maximum",
      options->mask, 0, 1);
  command.flag("-f,--overwrite", "replace outputs that exist", options->overwrite);
  command.exclude({"--coefficients", "--basis"});
  command.require("--values", "--names");
  command.require("--names", "--values");
  add_result_option(command, options->machine);
  add_machine_options(command, options->machine);
  command.action = [options](const Session& session) { match(*options, session); };
  return command;
}

}  // namespace larmor::app
