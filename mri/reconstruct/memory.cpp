#include <larmor/core/format_error.hpp>
#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/reconstruct/image_solver.hpp>
#include <larmor/mri/reconstruct/series.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

namespace larmor {
namespace {

enum class NormalForm { padded, low_memory, none };
// Fewest applies of the normal operator for which a point-spread function pays.
constexpr int worthwhile_applies = 4;
// With a Toeplitz operator the transform itself is used once or twice, but the iterations amplify its error:
// it is made so much more accurate than asked, as far as single precision goes. That costs next to nothing.
constexpr double once_factor = 0.03, least_tolerance = 1e-5;

// Coils that may be transformed at a time when memory is short, the fastest first.
constexpr Index coil_blocks[] = {8, 4, 2, 1};

// Whether a reconstruction can go through its coils in blocks: lsmr works on the samples of all.
bool takes_blocks(const ReconstructOptions& options) {
  return options.combine == Combine::sense && options.solver != SolverKind::lsmr && options.replicas == 0;
}

// The sizes that decide, and what is held at each stage of Pipeline::reconstruct_image. T is the working
// precision.
template <typename T>
class Stages {
 public:
  Stages(const Scan& scan, const ScanPlan& plan, Index coils, const ReconstructOptions& options,
         bool small_grid, Index block, double tolerance, Context& ctx)
      : plan_(plan),
        options_(options),
        ctx_(ctx),
        shape_(plan.grids.solve_shape()),
        coils_(coils),
        at_a_time_(block > 0 ? block : coils),
        samples_(plan.most_samples()),
        sense_(options.combine == Combine::sense),
        single_(plan.images.size() == 1),
        spills_(ctx.on_gpu() && block > 0),
        solver_images_(solver_images(options, {sense_ ? shape_ : shape_.prepend(coils_), plan.dims})),
        sets_(static_cast<std::size_t>(options.map_sets)) {
    // Sums below must not overflow before they can be refused.
    const double least = static_cast<double>(shape_.size()) * static_cast<double>(coils_) *
                         static_cast<double>(slices_of(plan).size() + plan.images.size()) * sizeof(C);
    if (least > 1e17)
      throw resource_error(
          "not enough memory: images of {} for {} coils need {:.1e} bytes; use a smaller --matrix",
          shape_.to_string(), coils_, least);
    if (!ctx.on_gpu()) {  // the limit is that of the device, where neither the scan nor the program lies
      scan_bytes_ = scan.data.capacity() * sizeof(scan.data[0]) +
                    scan.trajectory.capacity() * sizeof(scan.trajectory[0]);
      process_ = resident_bytes();
      process_ -= std::min(process_, scan_bytes_);
    }
    // What is certain, before anything is asked that could itself be too large.
    MemoryPlan certain;
    const bool may_spill = ctx.on_gpu() && takes_blocks(options);
    if (!may_spill) {
      add_common(certain, true);
      certain.add("sample values", coil_samples() * sizeof(std::complex<float>));
    }
    certain.add("images", 2 * image_bytes());
    certain.require(ctx.memory_limit());
    transform_.tolerance = tolerance;
    transform_.batch = at_a_time_;
    transform_.small_grid = small_grid;
    transform_scratch_ = Nufft<T>::scratch_bytes(shape_, samples_, transform_, ctx);
    transform_tables_ = Nufft<T>::table_bytes(shape_, samples_, transform_, has_density(), ctx);
  }

  /// The stage that needs most.
  MemoryPlan peak(NormalForm form) const {
    std::vector<MemoryPlan> stages{calibrate(), transform(), adjoint(), finish()};
    if (options_.solver != SolverKind::gridding) {
      stages.push_back(iterate(form));
      if (form != NormalForm::none) stages.push_back(spectrum());
    }
    return *std::max_element(stages.begin(), stages.end(),
                             [](const MemoryPlan& a, const MemoryPlan& b) { return a.total() < b.total(); });
  }

  std::size_t normal_bytes(NormalForm form) const {
    if (form == NormalForm::none) return 0;
    return Toeplitz<T>::table_bytes(shape_, ctx_) +
           Toeplitz<T>::scratch_bytes(shape_, at_a_time_, toeplitz_form(form), ctx_);
  }

  /// What the host holds for the device; empty without a GPU.
  MemoryPlan on_host() const {
    MemoryPlan plan;
    if (!spills_) return plan;
    plan.add("coil maps", map_bytes());
    plan.add("samples", 2 * coil_samples() * sizeof(C));
    return plan;
  }

 private:
  using C = std::complex<T>;
  static ToeplitzForm toeplitz_form(NormalForm form) {
    return form == NormalForm::padded ? ToeplitzForm::padded : ToeplitzForm::low_memory;
  }

  std::size_t samples() const { return static_cast<std::size_t>(samples_); }
  std::size_t pixels() const { return static_cast<std::size_t>(shape_.size()); }
  std::size_t coil_images() const { return pixels() * static_cast<std::size_t>(coils_) * sizeof(C); }
  // Of the coils that are transformed at a time, one set.
  std::size_t coil_images_at_a_time() const {
    return pixels() * static_cast<std::size_t>(at_a_time_) * sizeof(C);
  }
  std::size_t coil_samples() const { return samples() * static_cast<std::size_t>(coils_); }
  std::size_t samples_at_a_time() const { return samples() * static_cast<std::size_t>(at_a_time_); }
  std::size_t map_bytes() const { return sets_ * coil_images() * slices_of(plan_).size(); }
  // One unknown of the solver.
  std::size_t image_bytes() const { return sense_ ? sets_ * pixels() * sizeof(C) : coil_images(); }
  bool has_density() const { return decide_density(plan_, options_) != DensityKind::none; }
  std::size_t coordinates() const {
    return samples() * static_cast<std::size_t>(plan_.dims) * sizeof(double);
  }

  void add_common(MemoryPlan& plan, bool scan_held) const {
    plan.add("process", process_);
    if (scan_held || !single_) plan.add("scan", scan_bytes_);
    if (plan_.images.size() > 1) {
      const auto recon = static_cast<std::size_t>(plan_.grids.recon_shape().size());
      plan.add("finished images",
               (plan_.images.size() - 1) * recon * sizeof(std::complex<float>) *
                   static_cast<std::size_t>(options_.combine == Combine::none ? coils_ : 1));
    }
    if (sense_ && !spills_) plan.add("coil maps", map_bytes());
  }
  void add_data(MemoryPlan& plan) const {
    if (!spills_) plan.add("samples", coil_samples() * sizeof(std::complex<float>));
    plan.add("trajectory",
             coordinates() + (plan_.layout.weight_column >= 0 ? samples() * sizeof(double) : 0));
  }
  void add_tables(MemoryPlan& plan) const {
    plan.add("transform tables", transform_tables_);
    if (has_density()) plan.add("density weights", samples() * sizeof(double));
  }

  MemoryPlan calibrate() const {
    MemoryPlan plan;
    add_common(plan, true);
    add_data(plan);
    // Maps in the scan's channels beside those in the data's.
    const std::size_t maps = sets_ * pixels() * static_cast<std::size_t>(std::max(coils_, plan_.channels)) *
                             sizeof(std::complex<float>);
    if (sense_ && espirit_placement(maps, ctx_) == Placement::device) plan.add("calibration", maps);
    return plan;
  }
  // Points are sorted while the data are still there.
  MemoryPlan transform() const {
    MemoryPlan plan;
    add_common(plan, true);
    add_data(plan);
    add_tables(plan);
    plan.add("sorting", samples() * sizeof(std::int32_t));
    if (decide_density(plan_, options_) == DensityKind::pipe) {
      NufftOptions one;
      one.tolerance = 1e-2;
      plan.add("density iteration",
               samples() * (2 * sizeof(std::complex<double>)) + pixels() * sizeof(std::complex<float>));
      plan.add("density transform", Nufft<float>::scratch_bytes(shape_, samples_, one, ctx_));
    }
    return plan;
  }
  MemoryPlan adjoint() const {
    MemoryPlan plan;
    add_common(plan, false);
    // The float samples that become those of double are the host's, where they came from.
    const bool both = sizeof(T) == sizeof(double) && !ctx_.on_gpu();
    const std::size_t held =
        spills_ ? 0 : coil_samples() * (sizeof(C) + (both ? sizeof(std::complex<float>) : 0));
    // Once they are transformed, an image of one coil and its samples tell how accurate that was.
    const std::size_t checked = (pixels() + samples()) * sizeof(C);
    plan.add("samples", held);
    if (checked > held) plan.add("accuracy check", checked - held);
    if (spills_) plan.add("samples at hand", samples_at_a_time() * sizeof(C));
    add_tables(plan);
    plan.add("transform grid", transform_scratch_);
    if (sense_) plan.add("coil images", coil_images_at_a_time());
    plan.add("images", image_bytes());
    return plan;
  }
  MemoryPlan spectrum() const {
    MemoryPlan plan;
    add_common(plan, false);
    add_tables(plan);
    plan.add("point-spread function", Toeplitz<T>::table_bytes(shape_, ctx_));
    plan.add("point-spread function set-up",
             Toeplitz<T>::setup_bytes(shape_, samples_, 0.1 * transform_.tolerance, ctx_));
    plan.add("images", image_bytes());
    return plan;
  }
  MemoryPlan iterate(NormalForm form) const {
    MemoryPlan plan;
    add_common(plan, false);
    plan.add("solver images", static_cast<std::size_t>(solver_images_ * static_cast<double>(image_bytes())));
    if (options_.replicas > 0) {
      plan.add("replicas", coil_samples() * (2 * sizeof(std::complex<float>) + sizeof(C)) +
                               pixels() * 4 * sizeof(std::complex<double>));
      if (form != NormalForm::none) {
        if (single_) add_tables(plan);
        plan.add("transform grid", transform_scratch_);
        if (sense_) plan.add("coil images", coil_images());
      }
    }
    if (form != NormalForm::none) {
      plan.add("point-spread function", Toeplitz<T>::table_bytes(shape_, ctx_));
      plan.add("convolution grid", Toeplitz<T>::scratch_bytes(shape_, at_a_time_, toeplitz_form(form), ctx_));
      if (sets_ > 1) plan.add("coil images", 2 * coil_images_at_a_time());
      if (spills_ && sets_ == 1) plan.add("coil maps at hand", coil_images_at_a_time());
      if (!single_) add_tables(plan);
      return plan;
    }
    add_tables(plan);
    plan.add("transform grid", transform_scratch_);
    const std::size_t vectors = options_.solver == SolverKind::lsmr ? 2 : 1;
    plan.add("samples", vectors * samples_at_a_time() * sizeof(C));
    if (sense_) plan.add("coil images", 2 * coil_images_at_a_time());
    return plan;
  }
  MemoryPlan finish() const {
    MemoryPlan plan;
    add_common(plan, false);
    plan.add("images", 2 * image_bytes());
    plan.add("image written", static_cast<std::size_t>(plan_.grids.recon_shape().size()) * 2 * sizeof(C) *
                                  static_cast<std::size_t>(options_.combine == Combine::none ? coils_ : 1));
    return plan;
  }

  const ScanPlan& plan_;
  const ReconstructOptions& options_;
  Context& ctx_;
  Shape shape_;
  Index coils_, at_a_time_, samples_;
  bool sense_, single_, spills_;
  double solver_images_;
  std::size_t sets_;
  std::size_t scan_bytes_ = 0, process_ = 0, transform_scratch_ = 0, transform_tables_ = 0;
  NufftOptions transform_;
};

template <typename T>
MemoryDecision decide(const Scan& scan, const ScanPlan& plan, Index coils, const ReconstructOptions& options,
                      Context& ctx) {
  using Mode = NormalOptions::Toeplitz;
  MemoryDecision decision;
  // Power iterations for ‖A‖² come on top of the solver's.
  decision.normal.expected_applies = static_cast<int>(std::min<Index>(iterations_of(options), 10000)) +
                                     (options.regularizers.empty() ? 0 : 10);
  const bool few =
      options.toeplitz == Mode::automatic && decision.normal.expected_applies < worthwhile_applies;
  const bool toeplitz = toeplitz_of(options) != Mode::off && options.solver != SolverKind::gridding && !few;
  decision.nufft_tolerance =
      toeplitz ? once_used_tolerance(options.nufft_tolerance) : options.nufft_tolerance;
  // The fastest forms first; smaller ones as far as the limit asks for them. Coils in blocks come before
  // doing without a point-spread function, which is slower still and amplifies the NUFFT's error.
  std::vector<std::vector<NormalForm>> groups;
  if (toeplitz) groups.push_back({NormalForm::padded, NormalForm::low_memory});
  if (!toeplitz || options.toeplitz != Mode::on) groups.push_back({NormalForm::none});
  std::optional<MemoryPlan> smallest;
  MemoryPlan on_host;
  const auto fits = [&] { return smallest && smallest->total() <= ctx.memory_limit(); };
  const auto try_forms = [&](const std::vector<NormalForm>& forms, bool small_grid, Index block) {
    const Stages<T> stages(scan, plan, coils, options, small_grid, block, decision.nufft_tolerance, ctx);
    for (const NormalForm form : forms) {
      MemoryPlan needed = stages.peak(form);
      if (smallest && needed.total() >= smallest->total()) continue;
      smallest = std::move(needed);
      on_host = stages.on_host();
      decision.small_grid = small_grid;
      decision.coil_block = block;
      decision.normal.toeplitz = form == NormalForm::none ? Mode::off : Mode::on;
      decision.normal.byte_limit = form == NormalForm::low_memory ? stages.normal_bytes(form) : 0;
      if (fits()) return;
    }
  };
  std::vector<Index> blocks{0};
  if (takes_blocks(options))
    std::copy_if(std::begin(coil_blocks), std::end(coil_blocks), std::back_inserter(blocks),
                 [&](Index block) { return block < coils; });
  for (const auto& forms : groups)
    for (const Index block : blocks)
      for (const bool small_grid : {false, true})
        if (!fits()) try_forms(forms, small_grid, block);
  if (ctx.on_gpu()) on_host.require(available_memory_bytes());
  decision.plan = std::move(*smallest);
  // Reading the file may have needed more than the reconstruction will.
  const std::size_t before = ctx.on_gpu() ? 0 : peak_resident_bytes();
  if (before > decision.plan.total())
    decision.plan.add("earlier peak of the process", before - decision.plan.total());
  decision.plan.require(ctx.memory_limit());
  return decision;
}

}  // namespace

double once_used_tolerance(double asked) {
  return std::min(asked, std::max(least_tolerance, once_factor * asked));
}

MemoryDecision decide_memory(const Scan& scan, const ScanPlan& plan, Index coils,
                             const ReconstructOptions& options, Context& ctx) {
  return options.precision == Precision::single_precision ? decide<float>(scan, plan, coils, options, ctx)
                                                          : decide<double>(scan, plan, coils, options, ctx);
}

MemoryPlan plan_memory(const Scan& scan, const ScanPlan& plan, const ReconstructOptions& options,
                       Context& ctx) {
  if (wants_series(plan, options)) return preview_series(scan, plan, options, ctx).memory;
  const Index coils = plan.options.virtual_coils > 0 ? plan.options.virtual_coils : plan.channels;
  return decide_memory(scan, plan, coils, options, ctx).plan;
}

}  // namespace larmor
