#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/ismrmrd/xml.hpp>
#include <larmor/io/scan_arrays/scan_of_arrays.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/dictionary/match.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/write_back.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/options/named_options.hpp>
#include <larmor/options/reconstruction/dictionary.hpp>
#include <larmor/options/report.hpp>
#include <larmor/options/stopwatch.hpp>
#include <larmor/python/exchange/python_lock.hpp>
#include <larmor/python/ranks.hpp>
#include <larmor/python/scans.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

namespace larmor::python {
namespace {

using MachinePtr = std::shared_ptr<Machine>;

/// A scan held by Python, shared with its selections.
struct ScanHandle {
  std::shared_ptr<const Scan> scan;
};

/// The first step of a reconstruction: which readouts, grids and channels.
struct SelectionHandle {
  MachinePtr machine;
  std::shared_ptr<const Scan> scan, noise;
  std::shared_ptr<app::NamedOptions> options;
  std::shared_ptr<const Selection> selection;
};

struct ReconstructionHandle {
  std::shared_ptr<const Reconstruction> result;
  std::string report;
};

ScanHandle read_scan(const MachinePtr& machine, const std::string& path, const std::string& group,
                     bool external_trajectory) {
  ScanHandle handle;
  machine->run_interruptibly([&](Context& ctx) {
    handle.scan = std::make_shared<const Scan>(read_ismrmrd(path, {.group = group,
                                                                   .memory_limit = ctx.memory_limit(),
                                                                   .external_trajectory = external_trajectory,
                                                                   .cancel = &machine->cancel()}));
    for (const std::string& warning : handle.scan->warnings) ctx.reporter().warning(warning);
    for (const std::string& note : handle.scan->notes) ctx.reporter().note(note);
  });
  return handle;
}

ScanHandle scan_from_arrays(const AnyArray& kspace, const std::vector<std::string>& axes,
                            const std::optional<AnyArray>& trajectory, const std::vector<Index>& matrix,
                            const std::vector<double>& fov, Index bands) {
  const auto samples = borrowed_host<std::complex<float>>(kspace, "kspace");
  const KspaceArray array = kspace_of_array(copied_to(Device::cpu(), samples), axes, "kspace");
  if (trajectory && array.cartesian)
    throw usage_error("Cartesian lines take no trajectory; name the axis readouts if these have one")
        .about("axes");
  Array<double> k;
  if (trajectory)
    k = trajectory_of_array(array, copied_to(Device::cpu(), borrowed_host<double>(*trajectory, "trajectory")),
                            "trajectory");
  const Index partitions = bands > 1 ? 1 : array.samples.shape()[2];
  const ScanGrid grid{{matrix[0], matrix[1], matrix.size() > 2 ? matrix[2] : partitions},
                      {fov[0], fov[1], fov.size() > 2 ? fov[2] : 0},
                      bands <= 1};
  return {std::make_shared<const Scan>(scan_of_arrays(array, k, grid, "arrays"))};
}

nb::dict dict_of(const ImageCounters& counters) {
  nb::dict result;
  result["slice"] = counters.slice;
  result["contrast"] = counters.contrast;
  result["phase"] = counters.phase;
  result["repetition"] = counters.repetition;
  result["set"] = counters.set;
  return result;
}

/// The header of a readout, and its numbers as arrays that share the scan's memory.
nb::dict readout(const ScanHandle& handle, std::size_t index) {
  const Scan& scan = *handle.scan;
  if (index >= scan.readouts.size()) throw nb::index_error("a scan has no readout of this number");
  const Readout& readout = scan.readouts[index];
  const ReadoutHeader& header = readout.header;
  nb::dict result;
  result["flags"] = header.flags;
  result["counters"] = dict_of(header.counters);
  result["encode_step_1"] = header.encode_step_1;
  result["encode_step_2"] = header.encode_step_2;
  result["sample_time_us"] = header.sample_time_us;
  result["center_sample"] = header.center_sample;
  result["acquisition_time_stamp"] = header.acquisition_time_stamp;
  const nb::capsule owner(new std::shared_ptr<const Scan>(handle.scan), [](void* pointer) noexcept {
    delete static_cast<std::shared_ptr<const Scan>*>(pointer);
  });
  const std::size_t data[] = {header.active_channels, header.samples};
  const std::size_t points[] = {header.samples, header.trajectory_dimensions};
  result["data"] =
      nb::cast(nb::ndarray<nb::numpy, const std::complex<float>>(scan.samples(readout), 2, data, owner));
  result["trajectory"] = nb::cast(nb::ndarray<nb::numpy, const float>(
      scan.trajectory.data() + readout.trajectory_offset, 2, points, owner));
  return result;
}

/// The pieces of physiological signals, in the order of the file.
nb::list waveforms(const ScanHandle& handle) {
  nb::list result;
  for (const Waveform& waveform : handle.scan->waveforms) {
    Array<std::uint32_t> values({waveform.channels, static_cast<Index>(waveform.values.size()) /
                                                        std::max<Index>(waveform.channels, 1)});
    std::copy(waveform.values.begin(), waveform.values.end(), values.begin());
    nb::dict piece;
    piece["id"] = waveform.id;
    piece["time_stamp"] = waveform.time_stamp;
    piece["sample_time_us"] = waveform.sample_time_us;
    piece["values"] = to_numpy(std::move(values));
    result.append(piece);
  }
  return result;
}

/// Options from a list of (name, value): texts, and arrays of float64, complex64 or complex128.
std::shared_ptr<app::NamedOptions> options_of(const nb::list& named) {
  auto options = std::make_shared<app::NamedOptions>();
  for (nb::handle entry : named) {
    const nb::tuple pair = nb::cast<nb::tuple>(entry);
    const auto name = nb::cast<std::string>(pair[0]);
    std::string text;
    if (nb::try_cast(nb::object(pair[1]), text)) {
      options->set(name, text);
      continue;
    }
    const AnyArray array = array_of(pair[1], name.c_str());
    if (array.dtype() == nb::dtype<double>())
      options->set_array(name, borrowed_host<double>(array, name.c_str()));
    else if (array.dtype() == nb::dtype<std::complex<float>>())
      options->set_array(name, borrowed_host<std::complex<float>>(array, name.c_str()));
    else
      options->set_array(name, borrowed_host<std::complex<double>>(array, name.c_str()));
  }
  return options;
}

SelectionHandle select(const MachinePtr& machine, const ScanHandle& scan, const nb::list& named,
                       const std::optional<ScanHandle>& noise) {
  SelectionHandle handle{machine, scan.scan, noise ? noise->scan : nullptr, options_of(named), nullptr};
  if (handle.noise) handle.options->set_noise(*handle.noise);
  machine->run_interruptibly([&](Context& ctx) {
    handle.options->finish(*scan.scan, ctx);
    handle.selection =
        std::make_shared<const Selection>(select_scan(*scan.scan, handle.options->options(), ctx));
  });
  return handle;
}

nb::dict load(const SelectionHandle& handle, std::size_t image) {
  if (image >= handle.selection->plan.images.size())
    throw nb::index_error("a selection has no image of this number");
  PreparedImage data;
  handle.machine->run([&](Context& ctx) {
    Context host = ctx.host();
    data = load_image(*handle.scan, handle.selection->plan, handle.selection->channels, image, host);
  });
  nb::dict result;
  result["trajectory"] = to_numpy(std::move(data.trajectory));
  result["samples"] = to_numpy(std::move(data.samples));
  result["weights"] = data.weights.empty() ? nb::object(nb::none()) : to_numpy(std::move(data.weights));
  return result;
}

nb::object maps_of_selection(const SelectionHandle& handle, std::size_t image) {
  Array<std::complex<float>> maps;
  handle.machine->run_interruptibly([&](Context& ctx) {
    maps = moved_to(Device::cpu(), estimate_coil_maps(*handle.scan, *handle.selection, ctx, image,
                                                      handle.options->options().coils));
  });
  return to_numpy(std::move(maps));
}

/// Position and counters of an image, and its pixels, which share the memory of `owner`.
nb::dict dict_of(const Image& image, const nb::capsule& owner) {
  const ImageGeometry& geometry = image.geometry;
  std::vector<std::size_t> extents(image.pixels.shape().begin(), image.pixels.shape().end());
  nb::dict result;
  result["pixels"] = nb::cast(nb::ndarray<nb::numpy, const std::complex<float>>(
      image.pixels.data(), extents.size(), extents.data(), owner));
  result["fov_mm"] = nb::cast(geometry.fov_mm);
  result["position"] = nb::cast(geometry.position);
  result["read_dir"] = nb::cast(geometry.read_dir);
  result["phase_dir"] = nb::cast(geometry.phase_dir);
  result["slice_dir"] = nb::cast(geometry.slice_dir);
  result["counters"] = dict_of(image.counters);
  return result;
}

nb::list list_of(const ImageSeries& series, const std::shared_ptr<const Reconstruction>& keeps) {
  nb::list images;
  for (const Image& image : series.images) {
    const nb::capsule owner(new std::shared_ptr<const Reconstruction>(keeps), [](void* pointer) noexcept {
      delete static_cast<std::shared_ptr<const Reconstruction>*>(pointer);
    });
    images.append(dict_of(image, owner));
  }
  return images;
}

nb::object image_of_solution(const SelectionHandle& handle, nb::handle x, std::size_t image) {
  const AnyArray keep = array_of(x, "x");
  const auto view = borrowed_host<std::complex<float>>(keep, "x");
  if (image >= handle.selection->plan.images.size())
    throw nb::index_error("a selection has no image of this number");
  return to_numpy(std::move(image_of<float>(view, handle.selection->plan, image).pixels));
}

// While this object exists, this thread's work reports progress to this callback. Python's lock is not held.
class ProgressTo {
 public:
  explicit ProgressTo(const nb::object& callback)
      : before_(std::exchange(PythonReporter::callback, &callback)) {}
  ~ProgressTo() { PythonReporter::callback = before_; }
  ProgressTo(const ProgressTo&) = delete;
  ProgressTo& operator=(const ProgressTo&) = delete;

 private:
  const nb::object* before_;
};

ReconstructionHandle reconstruct_scan(const MachinePtr& machine, const ScanHandle& scan,
                                      const nb::list& named, const std::optional<ScanHandle>& noise,
                                      const nb::object& callback, const std::optional<RanksHandle>& among) {
  const auto options = options_of(named);
  if (noise) options->set_noise(*noise->scan);
  app::RunFacts facts;
  facts.command.emplace_back("larmor.reconstruct");
  for (const std::string& name : options->given()) facts.command.push_back(name);
  facts.device = machine->device().to_string();
  facts.threads = machine->threads();
  const app::Stopwatch total;
  ReconstructionHandle handle;
  machine->run_interruptibly([&](Context& ctx) {
    const ProgressTo told(callback);
    const auto ranks = among ? among->on(ctx.device()) : nullptr;
    if (ranks) options->set_ranks(ranks);
    Reconstruction result = options->reconstruct(*scan.scan, ctx);
    if (ranks) ranks->barrier();  // all ranks have finished
    if (ranks && ranks->rank() > 0) result.series.images.clear();
    handle.result = std::make_shared<const Reconstruction>(std::move(result));
  });
  facts.total_seconds = total.seconds();
  handle.report = app::run_report(facts, *handle.result);
  return handle;
}

nb::object coil_maps(const MachinePtr& machine, const ScanHandle& scan, const nb::list& named,
                     const std::optional<ScanHandle>& noise) {
  const auto options = options_of(named);
  if (noise) options->set_noise(*noise->scan);
  Array<std::complex<float>> maps;
  machine->run_interruptibly([&](Context& ctx) { maps = options->coil_maps(*scan.scan, ctx); });
  return to_numpy(std::move(maps));
}

nb::object field_map(const MachinePtr& machine, const ScanHandle& scan, const nb::list& named,
                     const std::vector<double>& echo_times_ms) {
  const auto options = options_of(named);
  Array<float> all;
  machine->run_interruptibly([&](Context& ctx) {
    const ImageSeries maps = options->field_map(*scan.scan, echo_times_ms, ctx);
    const Shape one = maps.images.front().geometry.shape();
    const auto slices = static_cast<Index>(maps.images.size());
    all = Array<float>(slices > 1 ? one.prepend(slices) : one);
    float* out = all.data();
    for (const Image& map : maps.images)
      for (const auto& value : map.pixels) *out++ = value.real();
  });
  return to_numpy(std::move(all));
}

// Maps by name: parameters, and the complex proton density. dictionary: a signal model, or time courses with
// the values of their entries.
nb::dict match(const MachinePtr& machine, const AnyArray& images, const nb::object& dictionary,
               const std::optional<AnyArray>& values, std::vector<std::string> names,
               const std::optional<AnyArray>& basis, Index coefficients) {
  using Complex = std::complex<double>;
  const auto pixels = borrowed_host<std::complex<float>>(images, "images");
  std::string text;
  Array<Complex> curves, vectors;
  Array<double> entries;
  if (nb::isinstance<nb::str>(dictionary))
    text = nb::cast<std::string>(dictionary);
  else
    curves = clone(borrowed_host<Complex>(array_of(dictionary, "dictionary"), "dictionary"));
  if (values) entries = clone(borrowed_host<double>(*values, "values"));
  if (basis) vectors = clone(borrowed_host<Complex>(*basis, "basis"));
  std::vector<std::string> of_maps;
  MatchedMaps maps;
  machine->run_interruptibly([&](Context& ctx) {
    SignalDictionary signals;
    if (const auto model = app::signal_model_of(text)) {
      signals = dictionary_of(*model, ctx);
    } else if (!text.empty()) {
      throw usage_error("dictionary '{}': expected an array or {}", text, app::signal_models_help());
    } else {
      if (entries.empty()) throw usage_error("a dictionary of time courses needs values= and names=");
      signals = given_dictionary(std::move(curves), std::move(entries), std::move(names));
    }
    std::optional<SubspaceBasis> subspace;
    if (!vectors.empty())
      subspace = given_subspace(vectors, signals.curves.shape()[1]);
    else if (coefficients > 0)
      subspace = subspace_from_dictionary(signals.curves, coefficients);
    of_maps = signals.names;
    maps = match_dictionary(pixels, signals, subspace ? &*subspace : nullptr, ctx);
  });
  nb::dict result;
  for (std::size_t i = 0; i < of_maps.size(); ++i)
    result[of_maps[i].c_str()] = to_numpy(std::move(maps.parameters[i]));
  result["PD"] = to_numpy(std::move(maps.proton_density));
  return result;
}

void write(const ReconstructionHandle& handle, const std::string& path, const std::string& kind,
           bool overwrite, bool sidecar, bool keep_patient, double frame_seconds) {
  const ImageSeries& series = handle.result->series;
  ImageSeries written;
  written.ismrmrd_header = series.ismrmrd_header;
  written.kind = kind == "magnitude" ? ImageKind::magnitude
                 : kind == "phase"   ? ImageKind::phase
                 : kind == "complex"
                     ? ImageKind::complex
                     : throw usage_error("kind is '{}', expected magnitude, phase or complex", kind);
  for (const Image& image : series.images)
    written.images.push_back(
        {clone(image.pixels), image.geometry, image.counters, image.acquisition_time_stamp});
  const Unlocked unlocked;
  write_images(path, written,
               {.overwrite = overwrite,
                .sidecar = sidecar,
                .frame_seconds = frame_seconds,
                .keep_patient = keep_patient});
}

nb::tuple simulate(const MachinePtr& machine, const std::string& trajectory,
                   const std::array<Index, 3>& matrix, Index coils, Index readouts, Index samples,
                   double noise, std::uint64_t seed, double field, std::vector<double> echo_times,
                   Index bands, double caipi, bool references, const std::string& signal,
                   const std::optional<std::array<double, 2>>& chest) {
  SimulationOptions options;
  const std::pair<const char*, SimulatedTrajectory> names[] = {
      {"radial", SimulatedTrajectory::radial},
      {"spiral", SimulatedTrajectory::spiral},
      {"kooshball", SimulatedTrajectory::kooshball},
      {"stack-of-stars", SimulatedTrajectory::stack_of_stars},
      {"rotated-stack-of-stars", SimulatedTrajectory::rotated_stack_of_stars},
      {"cartesian", SimulatedTrajectory::cartesian}};
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const auto& entry) { return trajectory == entry.first; });
  if (found == std::end(names))
    throw usage_error(
        "trajectory is '{}', expected radial, spiral, kooshball, stack-of-stars, "
        "rotated-stack-of-stars or cartesian",
        trajectory);
  options.trajectory = found->second;
  options.matrix = matrix;
  options.coils = coils;
  options.readouts = readouts;
  options.samples = samples;
  options.noise = noise;
  options.seed = seed;
  options.field_hz = field;
  options.echo_times_ms = std::move(echo_times);
  options.bands = bands;
  options.caipi = caipi;
  options.references = references;
  if (chest) {
    options.chest = ChestMotion{(*chest)[0], (*chest)[1]};
    options.object = SimulatedObject::chest;
  }
  if (!signal.empty()) {
    options.signal = app::signal_model_of(signal);
    if (!options.signal) throw usage_error("signal '{}': expected {}", signal, app::signal_models_help());
    options.object = SimulatedObject::tubes;
  }
  Simulation simulation;
  machine->run_interruptibly([&](Context& ctx) {
    Context host = ctx.host();
    simulation = simulate_scan(options, host);
  });
  simulation.scan.xml_header =
      make_ismrmrd_xml(simulation.scan, static_cast<int>(options.coils), {.te = options.echo_times_ms});
  return nb::make_tuple(ScanHandle{std::make_shared<const Scan>(std::move(simulation.scan))},
                        to_numpy(std::move(simulation.truth)), to_numpy(std::move(simulation.maps)));
}

nb::object density_weights(const MachinePtr& machine, const AnyArray& trajectory,
                           const std::vector<Index>& shape, int iterations) {
  const auto points = borrowed_host<double>(trajectory, "trajectory");
  const Shape image = shape_of(shape);
  Array<double> weights;
  machine->run_interruptibly([&](Context& ctx) {
    PipeMenonOptions options;
    options.iterations = iterations;
    weights = moved_to(Device::cpu(), pipe_menon(points, image, options, ctx));
  });
  return to_numpy(std::move(weights));
}

void define_classes(nb::module_& module) {
  nb::class_<ScanHandle>(module, "Scan")
      .def_prop_ro("source", [](const ScanHandle& h) { return h.scan->source; })
      .def_prop_ro("xml_header", [](const ScanHandle& h) { return h.scan->xml_header; })
      .def_prop_ro("warnings", [](const ScanHandle& h) { return h.scan->warnings; })
      .def_prop_ro("waveforms", &waveforms)
      .def("__len__", [](const ScanHandle& h) { return h.scan->readouts.size(); })
      .def("readout", &readout)
      .def("write", [](const ScanHandle& h, const std::string& path, bool overwrite) {
        const Unlocked unlocked;
        write_ismrmrd_raw(path, *h.scan, overwrite);
      });
  nb::class_<SelectionHandle>(module, "Selection")
      .def_prop_ro("shape",
                   [](const SelectionHandle& h) { return tuple_of(h.selection->plan.grids.solve_shape()); })
      .def_prop_ro("image_shape",
                   [](const SelectionHandle& h) { return tuple_of(h.selection->plan.grids.recon_shape()); })
      .def_prop_ro("images", [](const SelectionHandle& h) { return h.selection->plan.images.size(); })
      .def_prop_ro("coils", [](const SelectionHandle& h) { return h.selection->channels.coils; })
      .def_prop_ro("notes", [](const SelectionHandle& h) { return h.selection->plan.notes; })
      .def("load", &load)
      .def("coil_maps", &maps_of_selection)
      .def("image_of", &image_of_solution);
  nb::class_<ReconstructionHandle>(module, "Reconstruction")
      .def_prop_ro("report", [](const ReconstructionHandle& h) { return h.report; })
      .def("images", [](const ReconstructionHandle& h) { return list_of(h.result->series, h.result); })
      .def("deviation",
           [](const ReconstructionHandle& h) { return list_of(h.result->quality.deviation, h.result); })
      .def("signal_to_noise",
           [](const ReconstructionHandle& h) { return list_of(h.result->quality.signal_to_noise, h.result); })
      .def("g_factor",
           [](const ReconstructionHandle& h) { return list_of(h.result->quality.g_factor, h.result); })
      .def("write", &write);
}

}  // namespace

void define_scans(nb::module_& module) {
  define_classes(module);
  module.def("read_ismrmrd", &read_scan);
  module.def("scan_from_arrays", &scan_from_arrays, nb::arg("kspace"), nb::arg("axes"),
             nb::arg("trajectory").none(), nb::arg("matrix"), nb::arg("fov"), nb::arg("bands"));
  module.def("select", &select, nb::arg("machine"), nb::arg("scan"), nb::arg("options"),
             nb::arg("noise").none());
  module.def("reconstruct", &reconstruct_scan, nb::arg("machine"), nb::arg("scan"), nb::arg("options"),
             nb::arg("noise").none(), nb::arg("callback").none(), nb::arg("ranks").none());
  module.def("coil_maps", &coil_maps, nb::arg("machine"), nb::arg("scan"), nb::arg("options"),
             nb::arg("noise").none());
  module.def("field_map", &field_map);
  module.def("match", &match, nb::arg("machine"), nb::arg("images"), nb::arg("dictionary"),
             nb::arg("values").none(), nb::arg("names"), nb::arg("basis").none(), nb::arg("coefficients"));
  module.def("simulate", &simulate, nb::arg("machine"), nb::arg("trajectory"), nb::arg("matrix"),
             nb::arg("coils"), nb::arg("readouts"), nb::arg("samples"), nb::arg("noise"), nb::arg("seed"),
             nb::arg("field"), nb::arg("echo_times"), nb::arg("bands"), nb::arg("caipi"),
             nb::arg("references"), nb::arg("signal"), nb::arg("chest").none());
  module.def("density_weights", &density_weights);
  // For each option of reconstruct(): its name, whether it is a flag, the kind of its value, and its line of
  // help.
  module.def("options", [] {
    app::NamedOptions options;
    std::vector<std::tuple<std::string, bool, std::string, std::string>> table;
    for (const std::string& name : options.names()) {
      const app::Option& option = options.option(name);
      table.emplace_back(name, option.kind == app::Option::Kind::flag, option.type,
                         app::in_names(option.help));
    }
    return table;
  });
}

}  // namespace larmor::python
