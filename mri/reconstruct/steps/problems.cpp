#include <larmor/core/format_error.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/problems.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace larmor {
namespace {

SeriesChoice choice_of(const ScanPlan& plan, const ReconstructOptions& options) {
  return {.window = options.frames.window,
          .bins = plan.bins.empty() ? options.frames.bins : plan.bins.view(),
          .join_images = options.frames.basis.size() > 0 ||
                         (has_frame_term(options.solve) && plan.images.size() > slices_of(plan).size())};
}

// One image of one frame, before axes of frames or coefficients.
Shape unknown_of_image(const ScanPlan& plan, Index coils, const CoilOptions& options) {
  const Shape pixels = plan.grids.solve_shape();
  if (options.combine != Combine::sense) return pixels.prepend(coils);
  if (plan.bands.several()) return pixels.prepend(plan.bands.count);
  return options.sets > 1 ? pixels.prepend(options.sets) : pixels;
}

// With coils combined.
bool mixes(const ScanPlan& plan, const ReconstructOptions& options) {
  return options.frames.basis.size() > 0 || options.field.frequency.size() > 0 || plan.bands.several();
}

// Gives equal numbers to problems whose trajectories are equal, frame by frame.
void number_trajectories(const ScanPlan& plan, bool alone, std::vector<PlannedProblem>& problems) {
  const auto ids = [&](const PlannedProblem& problem) {
    std::vector<std::size_t> result;
    for (const std::size_t image : problem.series.images) result.push_back(plan.images[image].trajectory_id);
    return result;
  };
  const auto equal = [&](const PlannedProblem& a, const PlannedProblem& b) {
    const auto &frames = a.series.frames, &others = b.series.frames;
    return frames.has_value() == others.has_value() && (!frames || frames->readouts == others->readouts) &&
           ids(a) == ids(b);
  };
  std::size_t next = 0;
  for (auto problem = problems.begin(); problem != problems.end(); ++problem) {
    const auto same = std::find_if(problems.begin(), problem, [&](const PlannedProblem& other) {
      return !alone && equal(other, *problem);
    });
    problem->trajectory = same == problem ? next++ : same->trajectory;
  }
}

Index longest_readout(const Scan& scan, const ScanPlan& plan, const PlannedSeries& series) {
  Index longest = 0;
  for (const std::size_t i : series.images)
    for (const std::size_t r : plan.images[i].readouts)
      longest = std::max(longest, kept_samples(scan.readouts[r].header));
  return longest;
}

void enlarge(ProblemSizes& sizes, const Scan& scan, const ScanPlan& plan, const PlannedProblem& problem) {
  const auto raise = [](Index& value, Index least) { value = std::max(value, least); };
  Index samples = 0, frame_samples = 0, transforms = problem.frames();
  if (problem.series.frames) {
    const Index length = longest_readout(scan, plan, problem.series);
    for (const auto& frame : problem.series.frames->readouts) {
      samples += static_cast<Index>(frame.size()) * length;
      raise(frame_samples, static_cast<Index>(frame.size()) * length);
    }
    sizes.copies = true;
  } else {
    std::set<std::size_t> trajectories;
    for (const std::size_t i : problem.series.images) {
      const PlannedImage& image = plan.images[i];
      samples += image.samples - image.dropped;
      raise(frame_samples, image.samples - image.dropped);
      trajectories.insert(image.trajectory_id);
    }
    transforms = static_cast<Index>(trajectories.size());
  }
  if (problem.unknown.size() > sizes.unknown.size()) sizes.unknown = problem.unknown;
  raise(sizes.samples, samples);
  raise(sizes.frame_samples, problem.basis ? samples : frame_samples);
  raise(sizes.transforms, problem.basis ? 1 : sizes.mixes ? problem.frames() : transforms);
  raise(sizes.frames, problem.basis ? 1 : problem.frames());
  sizes.images_of_one = std::max(sizes.images_of_one, problem.images);
}

}  // namespace

Index images_of_frame(const ScanPlan& plan, const CoilOptions& options) {
  if (options.combine != Combine::sense) return 1;
  return plan.bands.several() ? plan.bands.count : options.sets;
}

ProblemList plan_problems(const ScanPlan& plan, Index coils, const ReconstructOptions& options) {
  ProblemList list;
  list.more_to_come = options.protocol != nullptr;
  const bool with_basis = options.frames.basis.size() > 0;
  const bool sense = options.coils.combine == Combine::sense;
  for (PlannedSeries& series : plan_series(plan, choice_of(plan, options))) {
    PlannedProblem& problem = list.problems.emplace_back();
    problem.series = std::move(series);
    if (problem.frames() > std::numeric_limits<std::uint16_t>::max())
      throw usage_error("{} frames exceed the range of image numbers: use a larger step", problem.frames());
    if (sense) problem.maps = problem.series.slice;
    problem.unknown = unknown_of_image(plan, coils, options.coils);
    Index outer = problem.frames();
    if (with_basis) {
      problem.basis = std::make_shared<const SubspaceBasis>(given_subspace(options.frames.basis, outer));
      outer = problem.basis->vectors.shape()[1];
      problem.unknown = problem.unknown.prepend(outer);
    } else {
      const Shape& frames = problem.series.shape;
      for (int axis = frames.rank(); axis-- > 0;) problem.unknown = problem.unknown.prepend(frames[axis]);
    }
    problem.first_image = list.images;
    problem.images = static_cast<std::size_t>(outer * images_of_frame(plan, options.coils));
    list.images += problem.images;
    if (problem.series.frames) list.summary.unused += problem.series.frames->unused;
  }
  const PlannedProblem& first = list.problems.front();
  if (first.series.shape.rank() > 0) list.summary.frames = first.frames();
  if (first.basis) list.summary.coefficients = first.basis->vectors.shape()[1];
  // Transforms that mix several images depend on more than the trajectory.
  number_trajectories(plan, mixes(plan, options), list.problems);

  list.order.resize(list.problems.size());
  std::iota(list.order.begin(), list.order.end(), std::size_t{0});
  std::stable_sort(list.order.begin(), list.order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](const PlannedProblem& problem) {
      return std::tuple(problem.trajectory, problem.series.slice);
    };
    return key(list.problems[a]) < key(list.problems[b]);
  });
  note_trajectories(list);
  return list;
}

void note_trajectories(ProblemList& list) {
  for (std::size_t i = 0; i < list.order.size(); ++i) {
    PlannedProblem& problem = list.problems[list.order[i]];
    problem.trajectory_again = i + 1 < list.order.size()
                                   ? problem.trajectory == list.problems[list.order[i + 1]].trajectory
                                   : list.more_to_come;
  }
}

ProblemSizes sizes_of(const Scan& scan, const ScanPlan& plan, const ProblemList& list,
                      const ReconstructOptions& options, Index segments) {
  ProblemSizes sizes;
  const PlannedProblem& first = list.problems.front();
  sizes.unknown = first.unknown;
  sizes.problems = list.problems.size() + (list.more_to_come ? 1 : 0);
  sizes.images = list.images;
  sizes.mixes = mixes(plan, options);
  sizes.tables_known = segments > 0 || options.field.frequency.size() == 0;
  if (first.basis) {
    const auto& vectors = first.basis->vectors;
    sizes.terms = vectors.shape()[1];
    sizes.complex_basis =
        std::any_of(vectors.begin(), vectors.end(), [](const auto& value) { return value.imag() != 0; });
  }
  sizes.terms *= std::max<Index>(segments, 1);
  if (plan.bands.several()) {
    sizes.terms = plan.bands.count;
    sizes.complex_basis = true;
  }
  for (const PlannedProblem& problem : list.problems) enlarge(sizes, scan, plan, problem);
  return sizes;
}

void tell(const ProblemList& list, Context& ctx) {
  const SeriesSummary& summary = list.summary;
  if (summary.frames > 0)
    ctx.reporter().note(
        fmt::format("series: {} frames{}{}", summary.frames,
                    list.size() > 1 ? fmt::format(", first of {} series", list.size()) : "",
                    summary.coefficients > 0 ? fmt::format(", {} coefficients", summary.coefficients) : ""));
  if (summary.unused > 0) ctx.reporter().note(fmt::format("{} readouts belong to no frame", summary.unused));
}

ImageReport describe(const PlannedProblem& problem, const ScanPlan& plan) {
  ImageReport report;
  const PlannedImage& first = plan.images[problem.series.images.front()];
  report.counters = first.counters;
  report.trajectory_id = first.trajectory_id;
  for (const std::size_t image : problem.series.images) {
    report.samples += plan.images[image].samples;
    report.dropped += plan.images[image].dropped;
  }
  return report;
}

}  // namespace larmor
