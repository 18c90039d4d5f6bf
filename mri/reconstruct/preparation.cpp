#include <larmor/mri/density/density.hpp>
#include <larmor/mri/reconstruct/preparation.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>

namespace larmor {

template <typename T>
Preparation<T>::Preparation(Scan scan, const ReconstructOptions& asked, const Selection& selected,
                            const ProblemList& problems, MemoryDecision decided, ReconstructionReport& report,
                            StageClock& clock, Context& ctx)
    : options(asked),
      selection(selected),
      list(problems),
      memory(std::move(decided)),
      scan_(std::move(scan)),
      report_(report),
      clock_(clock),
      ctx_(ctx),
      host_(ctx.host()),
      density_(decide_density(selected.plan, asked)) {}

template <typename T>
std::vector<PreparedImage> Preparation<T>::load(const PlannedProblem& problem) {
  ctx_.throw_if_cancelled();
  auto frames = load_series(scan_, selection.plan, selection.channels, problem.series, host_);
  clock_.charge("prepare");
  return frames;
}

template <typename T>
void Preparation<T>::calibrate(const PlannedProblem& problem, const std::vector<PreparedImage>* frames) {
  if (options.coils.combine != Combine::sense || shared.maps.contains(problem.maps)) return;
  ctx_.throw_if_cancelled();
  const PreparedImage* loaded = frames && !problem.series.frames ? &frames->front() : nullptr;
  Calibration used = options.coils.calibration;
  shared.maps.emplace(problem.maps, coil_maps_of_slice<T>(scan_, selection, options.coils, problem.maps,
                                                          loaded, memory.placement(), ctx_, &used));
  if (used != options.coils.calibration) report_.calibration = to_string(used);
  clock_.charge("calibrate");
}

template <typename T>
void Preparation<T>::weigh(const PlannedProblem& problem, std::vector<PreparedImage>& frames) {
  shared.begin(problem);
  if (!shared.weights.empty()) {
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f].weights = clone(shared.weights[f]);
    return;
  }
  weigh_frames(scan_, selection.plan, problem.series, density_, options.transform.tolerance, frames, ctx_);
  if (density_ == DensityKind::none || !(ahead || problem.trajectory_again)) return;
  for (const PreparedImage& frame : frames) shared.weights.push_back(clone(frame.weights));
}

template <typename T>
SeriesProblem<T> Preparation<T>::model(const PlannedProblem& problem, std::vector<PreparedImage> frames) {
  return model_problem<T>({scan_, selection, list, problem, options}, std::move(frames), memory, shared,
                          report_, ctx_);
}

template <typename T>
std::string Preparation<T>::let_go_of_data() {
  // A field map's segments are counted later, and with them memory planned: by the readouts' headers.
  scan_.data = {};
  scan_.trajectory = {};
  return std::move(scan_.xml_header);
}

template <typename T>
void Preparation<T>::set_density(DensityKind density) {
  if (density != density_) shared.trajectory.reset();
  density_ = density;
}

template class Preparation<float>;
template class Preparation<double>;

}  // namespace larmor
