#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/calibration/central_samples.hpp>
#include <larmor/mri/coils/calibration.hpp>
#include <larmor/mri/coils/espirit.hpp>
#include <larmor/mri/coils/nlinv.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/operators/stacks.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

namespace larmor {
namespace {

// With a Toeplitz operator the transform itself is used only once or twice, but the iterations amplify its
// error: its tolerance is reduced by this factor, as far as single precision allows. That costs next to
// nothing.
constexpr double once_factor = 0.03, least_tolerance = 1e-5;

// Numbers of coils that may be transformed at a time if memory is short, the fastest first.
constexpr Index coil_blocks[] = {8, 4, 2, 1};

// True if a reconstruction can process its coils in blocks: some solvers, and replicas, need the samples of
// all coils.
bool takes_blocks(const ReconstructOptions& options) {
  return options.coils.combine == Combine::sense && !needs_samples(options.solve.solver) &&
         options.output.replicas == 0;
}

// Arrays that exist at each stage of a problem. T is the working precision.
template <typename T>
class Stages {
 public:
  Stages(const ScanPlan& plan, const ProblemSizes& sizes, Index coils, const ReconstructOptions& options,
         const MemoryDecision& decision, Context& ctx)
      : plan_(plan),
        sizes_(sizes),
        options_(options),
        ctx_(ctx),
        shape_(plan.grids.solve_shape()),
        coils_(coils),
        at_a_time_(decision.coil_block > 0 ? decision.coil_block : coils),
        sense_(options.coils.combine == Combine::sense),
        single_(sizes.problems == 1),
        spills_(ctx.on_gpu() && decision.coil_block > 0),
        // The phase, and images between the model and the solver.
        solver_images_(solver_images(options.solve, {sizes.unknown, plan.dims}) +
                       (options.phase_constraint == PhaseConstraint::off ? 0 : 3)),
        sets_(static_cast<std::size_t>(options.coils.sets)),
        scan_bytes_(decision.scan),
        process_(decision.process) {
    // Sums below must not overflow before they can be refused.
    const double least = static_cast<double>(shape_.size()) * static_cast<double>(coils_) *
                         static_cast<double>(slices_of(plan).size() + plan.images.size()) * sizeof(C);
    if (least > 1e17)
      throw resource_error(
          "not enough memory: images of {} for {} coils need {:.1e} bytes; use a smaller matrix",
          shape_.to_string(), coils_, least)
          .about("matrix");
    // The minimum requirement, checked before allocating anything that could itself be too large.
    MemoryPlan certain;
    if (!ctx.on_gpu() || !takes_blocks(options)) {
      certain = common(true);
      certain.add("sample values", coil_samples() * sizeof(std::complex<float>));
    }
    certain.add("images", 2 * image_bytes());
    certain.require(ctx.memory_limit());
    transform_.tolerance = decision.nufft_tolerance;
    transform_.batch = at_a_time_;
    transform_.small_grid = decision.small_grid;
    const auto transforms = static_cast<std::size_t>(sizes.transforms);
    const Index samples = sizes.frame_samples;
    if (sizes.mixes) {
      transform_scratch_ = BasisNufft<T>::scratch_bytes(shape_, samples, sizes.terms, transform_, ctx);
      transform_tables_ =
          transforms * BasisNufft<T>::table_bytes(shape_, samples, sizes.terms, transform_, ctx);
    } else {
      transform_scratch_ = of_frames(Nufft<T>::scratch_bytes(shape_, samples, transform_, ctx));
      transform_tables_ = transforms * Nufft<T>::table_bytes(shape_, samples, transform_, has_density(), ctx);
    }
  }

  /// The stage that needs most memory.
  MemoryPlan peak(bool toeplitz) const {
    std::vector<MemoryPlan> stages{calibrate(), transform(), adjoint(), finish()};
    if (sense_ && plan_.channels > 1 && options_.coils.maps.size() == 0) {
      const Calibration by = options_.coils.calibration;
      stages.push_back(by == Calibration::nlinv ? nlinv() : fit());
      if (by == Calibration::espirit) stages.push_back(espirit());
    }
    if (!options_.solve.gridding) {
      stages.push_back(iterate(toeplitz));
      if (toeplitz) stages.push_back(spectrum());
    }
    return *std::max_element(stages.begin(), stages.end(),
                             [](const MemoryPlan& a, const MemoryPlan& b) { return a.total() < b.total(); });
  }

  /// Data that the host holds for the device; empty without a GPU.
  MemoryPlan on_host() const {
    MemoryPlan plan;
    if (!spills_) return plan;
    plan.add("coil maps", map_bytes());
    plan.add("samples", 2 * coil_samples() * sizeof(C));
    return plan;
  }

 private:
  using C = std::complex<T>;

  std::size_t samples() const { return static_cast<std::size_t>(sizes_.samples); }
  std::size_t pixels() const { return static_cast<std::size_t>(shape_.size()); }
  std::size_t coil_images() const { return pixels() * static_cast<std::size_t>(coils_) * sizeof(C); }
  // For the coils that are transformed at a time, one set, including all images that a transform mixes, and
  // for the frames at a time.
  std::size_t coil_images_at_a_time() const {
    return of_frames(pixels() * static_cast<std::size_t>(at_a_time_ * sizes_.terms) * sizeof(C));
  }
  std::size_t coil_samples() const { return samples() * static_cast<std::size_t>(coils_); }
  std::size_t samples_at_a_time() const { return samples() * static_cast<std::size_t>(at_a_time_); }
  std::size_t map_bytes() const { return sets_ * coil_images() * slices_of(plan_).size(); }
  // One unknown of the solver.
  std::size_t image_bytes() const { return static_cast<std::size_t>(sizes_.unknown.size()) * sizeof(C); }
  // Point-spread functions of all frames, and the scratch of their convolutions.
  std::size_t spectra() const {
    if (!sizes_.tables_known) return 0;
    const auto transforms = static_cast<std::size_t>(sizes_.transforms);
    return transforms * Toeplitz<T>::table_bytes(shape_, ctx_, terms(), sizes_.mixes && sizes_.complex_basis);
  }
  // Scratch memory of the frames' operators that are applied at a time, at most.
  std::size_t of_frames(std::size_t of_frame) const {
    return BlockDiag<T>::scratch_bytes(of_frame, sizes_.mixes ? 1 : sizes_.frames, ctx_);
  }
  std::size_t convolution() const {
    if (!sizes_.tables_known) return 0;
    return of_frames(Toeplitz<T>::scratch_bytes(shape_, at_a_time_, ctx_, terms()));
  }
  // Images between the factors of the preconditioner, which shares its scratch with the normal operator.
  std::size_t preconditioning() const { return options_.solve.automatic ? 3 * image_bytes() : 0; }
  Index terms() const { return sizes_.mixes ? sizes_.terms : 1; }
  bool has_density() const { return decide_density(plan_, options_) != DensityKind::none; }
  std::size_t coordinates() const {
    return samples() * static_cast<std::size_t>(plan_.dims) * sizeof(double);
  }

  MemoryPlan common(bool scan_held) const {
    MemoryPlan plan;
    plan.add("process", process_);
    if (scan_held || !single_) plan.add("scan", scan_bytes_);
    if (!single_) plan.add("finished images", written_bytes(sizes_.images - sizes_.images_of_one));
    if (sense_ && !spills_) plan.add("coil maps", map_bytes());
    return plan;
  }
  std::size_t written_bytes(std::size_t images) const {
    return images * static_cast<std::size_t>(plan_.grids.recon_shape().size()) * sizeof(std::complex<float>) *
           static_cast<std::size_t>(options_.coils.combine == Combine::none ? coils_ : 1);
  }
  // Frames exist at the same time as the images that they are cut from, and as their samples in one array.
  MemoryPlan with_data() const {
    MemoryPlan plan = common(true);
    const std::size_t copies = sizes_.copies ? 3 : sizes_.frames > 1 || sizes_.mixes ? 2 : 1;
    if (!spills_) plan.add("samples", copies * coil_samples() * sizeof(std::complex<float>));
    const std::size_t beside =
        (plan_.layout.weight_column >= 0 ? 1 : 0) + (plan_.reading.sample_times ? 1 : 0);
    plan.add("trajectory", copies * (coordinates() + beside * samples() * sizeof(double)));
    if (sizes_.mixes)
      plan.add("basis of the samples",
               samples() * static_cast<std::size_t>(sizes_.terms) * sizeof(std::complex<double>));
    return plan;
  }
  void add_tables(MemoryPlan& plan) const {
    plan.add("transform tables", transform_tables_);
    if (has_density()) plan.add("density weights", samples() * sizeof(double));
  }

  MemoryPlan calibrate() const {
    MemoryPlan plan = with_data();
    // Maps in the scan's channels, in addition to those in the data's.
    const std::size_t maps = sets_ * pixels() * static_cast<std::size_t>(std::max(coils_, plan_.channels)) *
                             sizeof(std::complex<float>);
    if (sense_ && calibration_placement(maps, ctx_) == Placement::device) plan.add("calibration", maps);
    return plan;
  }
  Index coils_at_fit() const {
    const Index chosen = options_.prepare.virtual_coils;
    return chosen > 0 ? chosen : plan_.channels;
  }
  // Spokes are assumed: they have more samples at the centre than other trajectories.
  Index samples_at_centre(Index points, Index of_grid) const {
    const double part = central_margin * static_cast<double>(points) / static_cast<double>(of_grid);
    return static_cast<Index>(std::min(1.0, part) * static_cast<double>(sizes_.frame_samples));
  }
  // The fit of the centre of k-space, which every rank computes for all coils.
  MemoryPlan fit() const {
    MemoryPlan plan = with_data();
    const Index coils = coils_at_fit();
    const Shape recon = plan_.grids.recon_shape();
    const Index smallest = *std::min_element(recon.begin(), recon.end());
    CalibrationOptions region;
    std::copy(recon.begin(), recon.end(), region.fov_pixels.begin());
    region.size = std::min(region.size, smallest);
    const Index centre = samples_at_centre(region.size, smallest);
    const std::size_t bytes = calibration_region_bytes(shape_, centre, coils, region, ctx_);
    if (calibration_placement(bytes, ctx_) == Placement::host) return plan;
    plan.add("centre of k-space", static_cast<std::size_t>(centre * coils) * sizeof(std::complex<float>));
    plan.add("fit of the centre", bytes);
    return plan;
  }
  MemoryPlan nlinv() const {
    MemoryPlan plan = with_data();
    const Shape recon = plan_.grids.recon_shape();
    const Index coils = coils_at_fit(), smallest = *std::min_element(recon.begin(), recon.end());
    const NlinvOptions options{.size = std::min(usual_nlinv_size(plan_.dims), smallest),
                               .fov_pixels = static_cast<double>(smallest)};
    const Index centre = samples_at_centre(options.size, smallest);
    plan.add("centre of k-space", static_cast<std::size_t>(centre * coils) * sizeof(std::complex<float>));
    plan.add("nlinv", nlinv_bytes(shape_, centre, coils, options, ctx_));
    plan.add("calibration", pixels() * static_cast<std::size_t>(coils) * sizeof(std::complex<float>));
    return plan;
  }
  // For one slice, whose maps also exist in the data's channels.
  MemoryPlan espirit() const {
    MemoryPlan plan = with_data();
    const Shape recon = plan_.grids.recon_shape();
    const Index coils = coils_at_fit(),
                region = std::min(CalibrationOptions{}.size, *std::min_element(recon.begin(), recon.end()));
    EspiritOptions options;
    options.sets = options_.coils.sets;
    plan.add("ESPIRiT", espirit_bytes(coils, region, shape_, options, ctx_));
    plan.add("calibration", sets_ * pixels() * static_cast<std::size_t>(coils) * sizeof(std::complex<float>));
    return plan;
  }
  // Points are sorted while the data still exist.
  MemoryPlan transform() const {
    MemoryPlan plan = with_data();
    add_tables(plan);
    plan.add("sorting", samples() * sizeof(std::int32_t));
    if (decide_density(plan_, options_) == DensityKind::pipe) {
      NufftOptions one;
      one.tolerance = 1e-2;
      plan.add("density iteration",
               samples() * (2 * sizeof(std::complex<double>)) + pixels() * sizeof(std::complex<float>));
      plan.add("density transform", Nufft<float>::scratch_bytes(shape_, sizes_.frame_samples, one, ctx_));
    }
    return plan;
  }
  MemoryPlan adjoint() const {
    MemoryPlan plan = common(false);
    // The float samples that are converted to double stay in host memory, where they came from.
    const bool both = !ctx_.on_gpu() && (sizeof(T) == sizeof(double) || sizes_.frames > 1 || sizes_.mixes);
    const std::size_t held =
        spills_ ? 0 : coil_samples() * (sizeof(C) + (both ? sizeof(std::complex<float>) : 0));
    // After the transform, an image of one coil and its samples are used to measure the accuracy.
    const std::size_t checked = (pixels() + samples()) * sizeof(C);
    plan.add("samples", held);
    if (checked > held) plan.add("accuracy check", checked - held);
    if (spills_) plan.add("samples at hand", samples_at_a_time() * sizeof(C));
    add_tables(plan);
    plan.add("transform grid", transform_scratch_);
    if (sense_) plan.add("coil images", coil_images_at_a_time());
    // A gridded image is compared with its data: its copy, the gradient and a step.
    plan.add("images", (options_.solve.gridding ? 4 : 1) * image_bytes());
    // Two estimates with the samples, their mask and residual.
    if (options_.phase_constraint == PhaseConstraint::automatic)
      plan.add("choice of the phase constraint", 5 * coil_samples() * sizeof(C) + 14 * image_bytes());
    return plan;
  }
  MemoryPlan spectrum() const {
    MemoryPlan plan = common(false);
    add_tables(plan);
    plan.add("point-spread function", spectra());
    // One function at a time, which is then copied to its position in a transform that mixes images.
    std::size_t setup =
        Toeplitz<T>::setup_bytes(shape_, sizes_.frame_samples, 0.1 * transform_.tolerance, ctx_);
    if (sizes_.mixes)
      setup += Toeplitz<T>::table_bytes(shape_, ctx_) +
               static_cast<std::size_t>(sizes_.frame_samples) *
                   (static_cast<std::size_t>(sizes_.terms) * sizeof(C) + 2 * sizeof(double));
    plan.add("point-spread function set-up", setup);
    plan.add("images", image_bytes());
    return plan;
  }
  MemoryPlan iterate(bool toeplitz) const {
    MemoryPlan plan = common(false);
    plan.add("solver images", static_cast<std::size_t>(solver_images_ * static_cast<double>(image_bytes())));
    const auto& terms = options_.solve.regularizers;
    const bool estimates =
        !spills_ &&
        std::any_of(terms.begin(), terms.end(), [](const RegularizerSpec& term) { return term.automatic; });
    if (estimates) plan.add("estimate of the error", 4 * coil_samples() * sizeof(C) + 2 * image_bytes());
    const bool replicas = options_.output.replicas > 0;
    if (replicas)
      plan.add("replicas", coil_samples() * (2 * sizeof(std::complex<float>) + sizeof(C)) +
                               image_bytes() / sizeof(C) * 4 * sizeof(std::complex<double>));
    if (toeplitz && (estimates || replicas)) {
      if (single_) add_tables(plan);
      plan.add("transform grid", transform_scratch_);
      if (sense_) plan.add("coil images", coil_images_at_a_time());
    }
    if (toeplitz) {
      plan.add("point-spread function", spectra());
      plan.add("convolution grid", std::max(convolution(), preconditioning()));
      if (sets_ > 1 || plan_.bands.several()) plan.add("coil images", 2 * coil_images_at_a_time());
      if (spills_ && sets_ == 1) plan.add("coil maps at hand", coil_images_at_a_time());
      if (!single_) add_tables(plan);
      return plan;
    }
    add_tables(plan);
    plan.add("transform grid", std::max(transform_scratch_, preconditioning()));
    const std::size_t vectors = needs_samples(options_.solve.solver) ? 2 : 1;
    plan.add("samples", vectors * samples_at_a_time() * sizeof(C));
    if (sense_) plan.add("coil images", 2 * coil_images_at_a_time());
    return plan;
  }
  MemoryPlan finish() const {
    MemoryPlan plan = common(false);
    plan.add("images", 2 * image_bytes());
    plan.add("image written",
             2 * sizeof(C) / sizeof(std::complex<float>) * written_bytes(sizes_.images_of_one));
    return plan;
  }

  const ScanPlan& plan_;
  const ProblemSizes& sizes_;
  const ReconstructOptions& options_;
  Context& ctx_;
  Shape shape_;
  Index coils_, at_a_time_;
  bool sense_, single_, spills_;
  double solver_images_;
  std::size_t sets_, scan_bytes_, process_;
  std::size_t transform_scratch_ = 0, transform_tables_ = 0;
  NufftOptions transform_;
};

// Memory in use before, on the host; a device's limit applies to its own memory.
void measure(const Scan& scan, const ScanPlan& plan, MemoryDecision& decision, const Context& ctx) {
  if (ctx.on_gpu()) return;
  decision.scan = scan.data.capacity() * sizeof(scan.data[0]) +
                  scan.trajectory.capacity() * sizeof(scan.trajectory[0]) + plan.coordinates->bytes();
  decision.process = resident_bytes();
  decision.process -= std::min(decision.process, decision.scan);
}

template <typename T>
MemoryDecision decide(const ScanPlan& plan, const ProblemSizes& sizes, Index coils,
                      const ReconstructOptions& options, MemoryDecision decision, Context& ctx) {
  using Mode = NormalOptions::Toeplitz;
  const Mode asked = toeplitz_of(options);
  // Power iterations for ‖A‖² are counted in addition to the solver's.
  decision.normal.expected_applies = static_cast<int>(std::min<Index>(iterations_of(options.solve), 10000)) +
                                     (options.solve.regularizers.empty() ? 0 : 10);
  decision.normal.toeplitz = asked;
  const bool toeplitz = !options.solve.gridding && nufft::wants_toeplitz(decision.normal);
  decision.nufft_tolerance =
      toeplitz ? once_used_tolerance(options.transform.tolerance) : options.transform.tolerance;
  // The fastest forms first, then smaller ones as the limit requires. Processing coils in blocks is preferred
  // to working without a point-spread function, which is slower still and amplifies the NUFFT's error.
  std::vector<bool> forms;  // with a point-spread function, or without
  if (toeplitz) forms.push_back(true);
  if (!toeplitz || asked != Mode::on) forms.push_back(false);
  std::optional<MemoryPlan> smallest;
  MemoryPlan on_host;
  const auto fits = [&] { return smallest && smallest->total() <= ctx.memory_limit(); };
  const auto try_form = [&](bool with_toeplitz, bool small_grid, Index block) {
    MemoryDecision tried = decision;
    tried.small_grid = small_grid;
    tried.coil_block = block;
    tried.normal.toeplitz = with_toeplitz ? Mode::on : Mode::off;
    const Stages<T> stages(plan, sizes, coils, options, tried, ctx);
    MemoryPlan needed = stages.peak(with_toeplitz);
    if (smallest && needed.total() >= smallest->total()) return;
    smallest = std::move(needed);
    on_host = stages.on_host();
    decision = std::move(tried);
  };
  // A transform that mixes several images keeps its tables for one number of coils.
  std::vector<Index> blocks{0};
  if (takes_blocks(options))
    std::copy_if(std::begin(coil_blocks), std::end(coil_blocks), std::back_inserter(blocks),
                 [&](Index block) { return block < coils && (!sizes.mixes || coils % block == 0); });
  for (const bool with_toeplitz : forms)
    for (const Index block : blocks)
      for (const bool small_grid : {false, true})
        if (!fits()) try_form(with_toeplitz, small_grid, block);
  if (ctx.on_gpu()) on_host.require(available_memory_bytes());
  decision.plan = std::move(*smallest);
  return decision;
}

}  // namespace

double once_used_tolerance(double asked) {
  return std::min(asked, std::max(least_tolerance, once_factor * asked));
}

MemoryDecision decide_memory(const Scan& scan, const ScanPlan& plan, const ProblemList& list, Index coils,
                             const ReconstructOptions& options, Context& ctx, const MemoryDecision* before) {
  MemoryDecision decision;
  if (before) {
    decision.process = before->process;
    decision.scan = before->scan;
    decision.segments = before->segments;
  } else {
    measure(scan, plan, decision, ctx);
  }
  const ProblemSizes sizes = sizes_of(scan, plan, list, options, decision.segments);
  decision = options.solve.precision == Precision::single_precision
                 ? decide<float>(plan, sizes, coils, options, std::move(decision), ctx)
                 : decide<double>(plan, sizes, coils, options, std::move(decision), ctx);
  // Reading the file may have needed more than the reconstruction will.
  const std::size_t peak = ctx.on_gpu() || before ? 0 : peak_resident_bytes();
  if (peak > decision.plan.total())
    decision.plan.add("earlier peak of the process", peak - decision.plan.total());
  decision.plan.require(ctx.memory_limit());
  return decision;
}

void tell(const MemoryDecision& memory, Context& ctx) {
  ctx.reporter().note("memory estimate " + format_bytes(memory.plan.total()));
  if (memory.coil_block > 0)
    ctx.reporter().note(fmt::format("memory is short: {} coils at a time{}", memory.coil_block,
                                    ctx.on_gpu() ? ", coil maps and samples in the host's memory" : ""));
}

ReconstructionPreview preview_reconstruction(const Scan& scan, const ScanPlan& plan,
                                             const ReconstructOptions& options, Context& ctx) {
  const Index virtual_coils = options.prepare.virtual_coils;
  const Index coils = virtual_coils > 0 ? virtual_coils : plan.channels;
  const ProblemList list = plan_problems(plan, coils, options);
  return {list.summary, list.size(), decide_memory(scan, plan, list, coils, options, ctx).plan};
}

}  // namespace larmor
