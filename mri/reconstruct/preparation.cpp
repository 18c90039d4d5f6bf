#include <larmor/core/vectors/lane.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/mri/reconstruct/map_operators.hpp>
#include <larmor/mri/reconstruct/preparation.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace larmor {
template <typename T>
Preparation<T>::Preparation(Scan scan, const ReconstructOptions& asked, const Selection& selected,
                            Decisions& decided, ReconstructionReport& report, StageClock& clock, Context& ctx)
    : options(asked),
      selection(selected),
      decisions(decided),
      shared(asked.protocol ? std::get<SharedParts<T>>(asked.protocol->parts) : own_shared_),
      scan_(std::move(scan)),
      report_(report),
      clock_(clock),
      ctx_(ctx),
      host_(ctx.host()),
      coils_(own_coils(selected.channels.coils, decided.division)) {
  if (asked.protocol) asked.protocol->begin<T>(selected.plan);
  if (coils_.count == selected.channels.coils) return;
  own_selection_.emplace();
  own_selection_->plan = selection.plan;
  own_selection_->channels = some_coils(selection.channels, coils_.first, coils_.count);
}

template <typename T>
std::vector<PreparedImage> Preparation<T>::load(const PlannedProblem& problem) {
  ctx_.throw_if_cancelled();
  std::vector<PreparedImage> frames;
  if (coming_ && coming_->first_image == problem.first_image) {
    Ahead coming = std::move(*coming_);
    coming_.reset();
    frames = coming.frames.get();
  } else {
    const Selection& from = own_selection();
    frames =
        load_series(scan_, from.plan, from.channels, own_frames(problem, decisions.division).series, host_);
  }
  clock_.charge("prepare");
  return frames;
}

template <typename T>
void Preparation<T>::load_ahead(const PlannedProblem& problem) {
  const bool alone = !decisions.division.together() && decisions.memory.coil_block == 0;
  if (!ctx_.on_gpu() || !alone || selection.plan.dims != 2 || coming_) return;
  try {
    if (!ahead_workers_)
      ahead_workers_.emplace(Device::cpu(), ContextOptions{.threads = std::max(1, ctx_.threads() / 2),
                                                           .deterministic = ctx_.deterministic()});
    coming_ = Ahead{problem.first_image, std::async(std::launch::async, [this, &problem] {
                      return load_series(scan_, selection.plan, selection.channels, problem.series,
                                         *ahead_workers_);
                    })};
  } catch (const std::system_error&) {  // no thread is available: load() reads the data itself
  }
}

template <typename T>
void Preparation<T>::calibrate(const PlannedProblem& problem, const std::vector<PreparedImage>* frames) {
  if (options.coils.combine != Combine::sense || shared.maps.contains(problem.maps)) return;
  ctx_.throw_if_cancelled();
  ctx_.reporter().progress("calibrate", 0, 0, "");
  // Only the data of a complete image can be used.
  const PreparedImage* loaded =
      frames && !problem.series.frames && !decisions.division.together() ? &frames->front() : nullptr;
  Calibration used = options.coils.calibration;
  shared.maps.emplace(problem.maps,
                      coil_maps_of_slice<T>(maps_input(problem.maps, loaded), ctx_, coils_, &used));
  if (used != options.coils.calibration) report_.calibration = to_string(used);
  clock_.charge("calibrate");
}

// A volume uses all of a device; with more than a few slices at a time, the further ones only wait.
template <typename T>
std::size_t Preparation<T>::calibration_lanes(std::size_t slices) const {
  constexpr std::size_t most_on_gpu = 6, most_on_cpu = 4;
  if (selection.plan.dims != 2 || decisions.memory.coil_block > 0) return 1;
  return std::min(
      {slices, static_cast<std::size_t>(ctx_.threads()), ctx_.on_gpu() ? most_on_gpu : most_on_cpu});
}

template <typename T>
void Preparation<T>::calibrate_all(const std::vector<std::size_t>& order) {
  if (options.coils.combine != Combine::sense) return;
  std::vector<std::uint16_t> slices;
  for (const std::size_t index : order) {
    const std::uint16_t slice = decisions.list.problems[index].maps;
    if (!shared.maps.contains(slice) && std::find(slices.begin(), slices.end(), slice) == slices.end())
      slices.push_back(slice);
  }
  const std::size_t lanes = calibration_lanes(slices.size());
  if (lanes < 2) {
    for (const std::size_t index : order) calibrate(decisions.list.problems[index], nullptr);
    return;
  }
  ctx_.reporter().progress("calibrate", 0, 0, "");
  struct Slice {
    std::shared_ptr<LaterReporter> words = std::make_shared<LaterReporter>();
    std::vector<CoilMaps<T>> maps;
    Calibration used;
    std::exception_ptr failure;
  };
  std::vector<Slice> found(slices.size());
  std::atomic<std::size_t> next{0};
  const ContextOptions lane_options{.threads = ctx_.threads() / static_cast<int>(lanes),
                                    .deterministic = ctx_.deterministic(),
                                    .memory_limit = ctx_.memory_limit()};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < slices.size();) {
      Slice& slice = found[i];
      slice.used = options.coils.calibration;
      try {
        ctx_.throw_if_cancelled();
        ContextOptions own = lane_options;
        own.reporter = slice.words;
        Lane lane(ctx_.device(), std::move(own));
        slice.maps = coil_maps_of_slice<T>(maps_input(slices[i], nullptr), lane.ctx(), coils_, &slice.used);
        lane.ctx().synchronize();
      } catch (...) {
        slice.failure = std::current_exception();
        next = slices.size();
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t lane = 1; lane < lanes; ++lane) try {
      others.emplace_back(work);
    } catch (const std::system_error&) {  // continue with fewer threads
      break;
    }
  work();
  for (std::thread& other : others) other.join();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    Slice& slice = found[i];
    slice.words->tell(ctx_.reporter());
    if (slice.failure) std::rethrow_exception(slice.failure);
    if (slice.used != options.coils.calibration) report_.calibration = to_string(slice.used);
    shared.maps.emplace(slices[i], std::move(slice.maps));
  }
  clock_.charge("calibrate");
}

template <typename T>
void Preparation<T>::weigh(const PlannedProblem& problem, std::vector<PreparedImage>& frames, bool keep) {
  const bool again = std::exchange(begun_, true) && shared.trajectory == problem.trajectory;
  if (options.protocol && !again)
    options.protocol->begin<T>(
        problem, frames,
        problem.basis || options.field.frequency.size() > 0 || selection.plan.bands.several(), host_);
  shared.begin(problem);
  if (!shared.weights.empty()) {
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f].weights = clone(shared.weights[f]);
    return;
  }
  weigh_frames(selection.plan, own_frames(problem, decisions.division).series, decisions.density,
               options.transform.tolerance, frames, ctx_);
  if (decisions.density == DensityKind::none || !keep) return;
  for (const PreparedImage& frame : frames) shared.weights.push_back(clone(frame.weights));
}

template <typename T>
SeriesProblem<T> Preparation<T>::model(const PlannedProblem& problem, std::vector<PreparedImage> frames) {
  const PlannedProblem own = own_frames(problem, decisions.division);
  auto result = model_problem<T>(
      {scan_, own_selection(), decisions.list, own, options, {coils_.first, selection.channels.coils}},
      std::move(frames), decisions.memory, shared, report_, ctx_);
  join_ranks<T>(result, decisions.division);
  return result;
}

template <typename T>
PowerSpectrumEstimate Preparation<T>::power(const std::vector<PreparedImage>& frames) const {
  PowerSpectrumEstimate power(selection.plan.grids.solve_shape());
  for (const PreparedImage& frame : frames) power.add(frame.trajectory, frame.samples, frame.weights, host_);
  if (decisions.division.together()) power.add_up(*decisions.division.ranks);
  return power;
}

template <typename T>
double Preparation<T>::not_sampled(const std::vector<PreparedImage>& frames) {
  if (frames.empty() || decisions.division.kind == Divided::frames)
    return std::numeric_limits<double>::quiet_NaN();
  if (shared.not_sampled) return *shared.not_sampled;
  double sum = 0;
  for (const PreparedImage& frame : frames)
    sum += part_not_sampled(frame.trajectory, selection.plan.grids.solve_shape(), host_);
  return shared.not_sampled.emplace(sum / static_cast<double>(frames.size()));
}

template <typename T>
typename Preparation<T>::CommonScale Preparation<T>::common_scale(const std::vector<std::size_t>& order) {
  CommonScale result;
  const Division& division = decisions.division;
  for (const std::size_t index : order) {
    const PlannedProblem& problem = decisions.list.problems[index];
    auto frames = load(problem);
    weigh(problem, frames, true);
    const auto problem_model = model(problem, std::move(frames));
    const auto gradient = problem_model.model->adjoint(problem_model.samples, ctx_);
    double scale = max_magnitude<T>(gradient, ctx_);
    if (division.kind == Divided::frames) scale = division.ranks->all_reduce(scale, Reduction::maximum);
    if (index == order.front() || scale > result.scale) result.scale = scale, result.brightest = index;
  }
  if (division.kind == Divided::problems) {
    const double own = result.scale;
    result.scale = division.ranks->all_reduce(own, Reduction::maximum);
    // If several ranks have the largest value, the first of them counts.
    const double place = own == result.scale ? division.size() - division.rank() : 0;
    result.here = division.ranks->all_reduce(place, Reduction::maximum) == place;
  }
  clock_.charge("setup");
  return result;
}

template <typename T>
std::string Preparation<T>::let_go_of_data() {
  // The number of a field map's segments is known only later, and memory is planned again then: here the
  // readouts' headers are used.
  scan_.data = {};
  scan_.trajectory = {};
  if (own_selection_) own_selection_->let_go_of_coordinates();
  return std::move(scan_.xml_header);
}

template class Preparation<float>;
template class Preparation<double>;

}  // namespace larmor
