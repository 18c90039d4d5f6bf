#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/mri/reconstruct/steps/divide.hpp>
#include <larmor/mri/reconstruct/steps/write_back.hpp>
#include <larmor/operators/ranks.hpp>

#include <algorithm>
#include <functional>
#include <map>

namespace LARMOR_API larmor {
namespace {

// Reason why the ranks cannot solve a problem together; empty: they can.
std::string why_not_together(const ReconstructOptions& options) {
  if (needs_samples(options.solve.solver))
    return fmt::format("{} works on samples, which are divided among the ranks",
                       to_string(options.solve.solver));
  if (options.output.replicas > 0) return "replicas are made by one rank";
  return {};
}

std::string why_not_coils(Index coils, int ranks, const ReconstructOptions& options) {
  if (options.coils.combine != Combine::sense) return "without a coil model every coil has its own image";
  if (coils < ranks) return fmt::format("there are {} coils for {} ranks", coils, ranks);
  return why_not_together(options);
}

// Reason why the frames of a series cannot be divided among ranks, which then exchange only the solver's
// inner products; empty: they can.
std::string why_not_frames(const ProblemList& list, int ranks, const ReconstructOptions& options) {
  if (options.frames.basis.size() > 0) return "a basis joins the frames";
  for (const PlannedProblem& problem : list.problems)
    if (problem.series.shape.rank() == 0 || problem.frames() < ranks)
      return fmt::format("there are {} images, and fewer frames than the {} ranks", list.size(), ranks);
  const SolveOptions& solve = options.solve;
  if (has_frame_term(solve)) return "a term couples the frames";
  const auto& terms = solve.regularizers;
  if (std::any_of(terms.begin(), terms.end(), [](const RegularizerSpec& term) { return term.automatic; }))
    return "one weight is searched for in all frames";
  if (!solve.priors.empty() || solve.checkpoint_every > 0 || solve.resume)
    return "priors and checkpoints belong to the whole series";
  return why_not_together(options);
}

// The longest first, each to the rank with the least work; problems that share coil maps stay together if
// that leaves no rank idle. The first in the order belongs to rank 0.
std::vector<int> owners_of(const ProblemList& list, int ranks, bool shares_maps) {
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (const std::size_t index : list.order)
    groups[shares_maps ? list.problems[index].maps : 0].push_back(index);
  std::vector<std::vector<std::size_t>> parts;
  if (static_cast<int>(groups.size()) >= ranks)
    for (auto& [maps, members] : groups) parts.push_back(std::move(members));
  else
    for (const std::size_t index : list.order) parts.push_back({index});
  const auto work = [&](const std::vector<std::size_t>& part) {
    double sum = 0;
    for (const std::size_t index : part) sum += static_cast<double>(list.problems[index].frames());
    return sum;
  };
  std::stable_sort(parts.begin(), parts.end(),
                   [&](const auto& a, const auto& b) { return work(a) > work(b); });
  std::vector<int> owners(list.problems.size());
  std::vector<double> load(static_cast<std::size_t>(ranks), 0);
  for (const auto& part : parts) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += work(part);
    for (const std::size_t index : part) owners[index] = static_cast<int>(least - load.begin());
  }
  // The rank with the first one is numbered 0.
  const int first = owners[list.order.front()];
  for (int& owner : owners) owner = owner == first ? 0 : owner == 0 ? first : owner;
  return owners;
}

Share own_share(Index count, const Division& division) {
  return share_of(count, division.rank(), division.size());
}

// Sends the solution x of a problem and its report from the rank that has solved it to rank 0.
template <typename T>
void to_first(int owner, Array<std::complex<T>>& x, const Shape& unknown, ImageReport& report,
              const Division& division) {
  if (owner == 0) return;
  Communicator& ranks = *division.ranks;
  if (division.rank() != owner) x = Array<std::complex<T>>(unknown);
  ranks.broadcast(x.view(), owner);
  std::array<double, 9> numbers{static_cast<double>(report.history.size()),
                                report.operator_norm_squared,
                                report.scale,
                                report.step_size,
                                report.distance,
                                static_cast<double>(report.stop_reason),
                                static_cast<double>(report.phase_points),
                                report.unexplained,
                                report.noise};
  ranks.broadcast(View<double>(numbers), owner);
  report.history.resize(static_cast<std::size_t>(numbers[0]));
  report.operator_norm_squared = numbers[1];
  report.scale = numbers[2];
  report.step_size = numbers[3];
  report.distance = numbers[4];
  report.stop_reason = static_cast<StopReason>(numbers[5]);
  report.phase_points = static_cast<Index>(numbers[6]);
  report.unexplained = numbers[7];
  report.noise = numbers[8];
  ranks.broadcast(View<SolverStep>(report.history), owner);
}

}  // namespace

double fingerprint(const ProblemList& list, Index coils, const ReconstructOptions& options,
                   const std::string& version) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a (Fowler, Noll & Vo)
  const auto add = [&](auto... values) {
    ((hash = (hash ^ std::hash<decltype(values)>()(values)) * 1099511628211u), ...);
  };
  const SolveOptions& solve = options.solve;
  add(coils, options.coils.combine, options.coils.calibration, options.coils.calibration_readouts,
      options.coils.sets, options.ranks.split, options.density, options.transform.toeplitz,
      options.transform.tune.level, options.transform.tolerance, solve.gridding, solve.solver,
      solve.automatic, solve.precision, solve.iterations, solve.tolerance, solve.distance,
      options.output.replicas, options.phase_constraint);
  for (const char letter : version + to_string(solve.regularizers)) add(letter);
  for (const PlannedProblem& problem : list.problems) {
    for (int axis = 0; axis < problem.unknown.rank(); ++axis) add(problem.unknown[axis]);
    for (const std::size_t image : problem.series.images) add(image);
    add(problem.frames());
  }
  return static_cast<double>(hash >> 40);
}

void require_same(double fingerprint, Communicator& ranks) {
  const double largest = ranks.all_reduce(fingerprint, Reduction::maximum),
               smallest = -ranks.all_reduce(-fingerprint, Reduction::maximum);
  if (largest != smallest) throw input_error("the ranks have different scans, options or versions");
}

Division divide(const ProblemList& list, Index coils, const ReconstructOptions& options, const Context& ctx) {
  Division division;
  division.ranks = options.ranks.communicator;
  const int ranks = division.size();
  if (ranks == 1) return division;
  require_same(fingerprint(list, coils, options, version()) + 0.5 * ctx.deterministic(), *division.ranks);
  const bool problems = list.size() > 1 && options.output.replicas == 0;
  const std::string no_coils = why_not_coils(coils, ranks, options);
  const std::string no_frames = why_not_frames(list, ranks, options);
  const auto require = [&](const std::string& reason) {
    if (!reason.empty())
      throw usage_error("{} cannot be divided: {}", to_string(options.ranks.split), reason).about("split");
  };
  switch (options.ranks.split) {
    case Split::frames:
      if (!problems) require(no_frames);
      division.kind = problems ? Divided::problems : Divided::frames;
      break;
    case Split::coils:
      require(no_coils);
      division.kind = Divided::coils;
      break;
    case Split::automatic:
      if (problems && list.size() >= ranks)
        division.kind = Divided::problems;
      else if (no_frames.empty())
        division.kind = Divided::frames;
      else if (no_coils.empty())
        division.kind = Divided::coils;
      else if (problems)
        division.kind = Divided::problems;
  }
  if (division.kind == Divided::problems)
    division.owners = owners_of(list, ranks, options.coils.combine == Combine::sense);
  return division;
}

void tell(const Division& division, const ProblemList& list, Index coils, ReconstructionReport& report,
          Context& ctx) {
  if (division.size() == 1) return;
  report.ranks.count = division.size();
  report.ranks.exchange = division.ranks->name();
  std::string what;
  switch (division.kind) {
    case Divided::problems:
      report.ranks.divided = list.summary.frames > 0 ? "series" : "images";
      what = fmt::format("{} {}", list.size(), report.ranks.divided);
      break;
    case Divided::frames:
      report.ranks.divided = "frames";
      what = fmt::format("{} frames", list.problems.front().frames());
      break;
    case Divided::coils:
      report.ranks.divided = "coils";
      what = fmt::format("{} coils", coils);
      break;
    case Divided::nothing:
      return ctx.reporter().warning(
          fmt::format("nothing can be divided among {} ranks: one rank does all work", division.size()));
  }
  ctx.reporter().note(
      fmt::format("{} divided among {} ranks, through {}", what, division.size(), report.ranks.exchange));
}

ProblemList own_problems(const ProblemList& list, const Division& division) {
  ProblemList own = list;
  if (division.kind != Divided::problems) return own;
  std::erase_if(own.order, [&](std::size_t index) { return division.owners[index] != division.rank(); });
  note_trajectories(own);
  return own;
}

PlannedProblem own_frames(const PlannedProblem& problem, const Division& division) {
  PlannedProblem own = problem;
  if (division.kind != Divided::frames) return own;
  const Share share = own_share(problem.frames(), division);
  const auto keep = [&](auto& list) {
    list.erase(list.begin() + share.first + share.count, list.end());
    list.erase(list.begin(), list.begin() + share.first);
  };
  if (own.series.frames) {
    keep(own.series.frames->readouts);
    own.series.frames->shape = {share.count};
  } else {
    keep(own.series.images);
  }
  own.series.shape = {share.count};
  own.unknown = problem.unknown.drop_front(problem.series.shape.rank()).prepend(share.count);
  return own;
}

Share own_coils(Index coils, const Division& division) {
  return division.kind == Divided::coils ? own_share(coils, division) : Share{0, coils};
}

template <typename T>
void join_ranks(SeriesProblem<T>& model, const Division& division) {
  if (division.kind != Divided::coils) return;
  model.model = RowsOfRank<T>(*model.model, division.ranks).share();
  model.ranks = division.ranks;
  if (!model.map_energy.empty()) division.ranks->all_reduce(model.map_energy.view());
}

template <typename T>
Array<std::complex<T>> joined_parts(View<const std::complex<T>> part, const PlannedProblem& problem,
                                    const Division& division) {
  Array<std::complex<T>> all(problem.unknown);
  const auto frames = all.view().reshaped({problem.frames(), all.size() / problem.frames()});
  for (int rank = 0; rank < division.size(); ++rank) {
    const Share share = share_of(problem.frames(), rank, division.size());
    const auto place = frames.slices(share.first, share.count);
    if (rank == division.rank()) std::copy(part.begin(), part.end(), place.begin());
    division.ranks->broadcast(place, rank);
  }
  return all;
}

template <typename T>
void gather_solutions(std::map<std::size_t, Array<std::complex<T>>> solved, const ProblemList& list,
                      const ScanPlan& plan, const ReconstructOptions& options, const Division& division,
                      ReconstructionReport& report, ImageSeries& series, Context& ctx) {
  for (std::size_t index = 0; index < list.problems.size(); ++index) {
    const PlannedProblem& problem = list.problems[index];
    const int owner = division.owners[index];
    if (owner == 0) continue;
    if (division.rank() == 0) report.images[index] = describe(problem, plan);
    Array<std::complex<T>> x = std::move(solved[index]);
    to_first<T>(owner, x, problem.unknown, report.images[index], division);
    if (division.rank() == 0) write_back<T>(x, problem, plan, options, series, ctx);
  }
}

MemoryDecision decide_own_memory(const Scan& scan, const ScanPlan& plan, const ProblemList& list,
                                 const ChannelPlan& channels, const Division& division,
                                 const ReconstructOptions& options, Context& ctx) {
  if (!division.together()) return decide_memory(scan, plan, list, channels.coils, options, ctx);
  ProblemList own = list;
  for (PlannedProblem& problem : own.problems) problem = own_frames(problem, division);
  return decide_memory(scan, plan, own, own_coils(channels.coils, division).count, options, ctx);
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template Array<std::complex<T>> joined_parts<T>(View<const std::complex<T>>, const PlannedProblem&,  \
                                                  const Division&);                                    \
  template void join_ranks<T>(SeriesProblem<T>&, const Division&);                                     \
  template void gather_solutions<T>(std::map<std::size_t, Array<std::complex<T>>>, const ProblemList&, \
                                    const ScanPlan&, const ReconstructOptions&, const Division&,       \
                                    ReconstructionReport&, ImageSeries&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
