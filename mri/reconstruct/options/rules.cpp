#include <larmor/core/format_error.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>

#include <algorithm>

namespace larmor {
namespace {

using Options = ReconstructOptions;

struct Rule {
  const char* parameter;  // option at fault
  bool (*broken)(const Options&);
  std::string (*reason)(const Options&);
};

struct ScanRule {
  const char* parameter;
  bool (*broken)(const Options&, const ScanPlan&);
  std::string (*reason)(const Options&, const ScanPlan&);
};

const RegularizerSpec* first_term(const Options& o, bool (*wanted)(const RegularizerSpec&)) {
  const auto& terms = o.solve.regularizers;
  const auto found = std::find_if(terms.begin(), terms.end(), wanted);
  return found == terms.end() ? nullptr : &*found;
}
bool iterates(const Options& o) {
  return !o.solve.gridding;
}
// A term that prevents the chosen solver from being used: the first that is not quadratic.
const RegularizerSpec* too_much(const Options& o) {
  if (!iterates(o) || o.solve.solver == Solver::automatic) return nullptr;
  if (find_solver(o.solve.solver).takes >= terms_of(o.solve.regularizers)) return nullptr;
  return first_term(o, [](const RegularizerSpec& spec) { return !is_quadratic(spec); });
}
std::string solvers_of(SolvableTerms terms) {
  std::string names = "auto";
  for (const SolverRow& row : solver_table())
    if (row.takes >= terms) names += std::string(&row == &solver_table().back() ? " or " : ", ") + row.name;
  return names;
}
const RegularizerSpec* frame_term(const Options& o) {
  return first_term(o, [](const RegularizerSpec& spec) { return find_regularizer(spec.name).needs_frames; });
}
Index searched(const Options& o) {
  return std::count_if(o.solve.regularizers.begin(), o.solve.regularizers.end(),
                       [](const RegularizerSpec& spec) { return spec.automatic; });
}
bool saves(const Options& o) {
  return o.solve.checkpoint_every > 0 || o.solve.resume;
}
bool several_sets(const Options& o) {
  return o.coils.sets != 1;
}
bool constrained(const Options& o) {
  return o.phase_constraint != PhaseConstraint::off;
}
bool combines(const Options& o) {
  return o.coils.combine == Combine::sense;
}

// Checks the rules in order of the steps: the first violation is reported.
const Rule rules[] = {
    {"window",
     [](const Options& o) {
       return o.frames.window && (o.frames.bins.size() > 0 || !o.frames.gates.empty());
     },
     [](const Options&) { return std::string("frames come from a window or from bins, not from both"); }},
    {"field_map",
     [](const Options& o) {
       return o.field.frequency.size() == 0 && (o.field.decay.size() > 0 || o.field.weight.size() > 0);
     },
     [](const Options&) { return std::string("R2* and weight belong to a field map, which is not given"); }},
    {"combine", [](const Options& o) { return o.coils.combine == Combine::rss && o.frames.basis.size() > 0; },
     [](const Options&) {
       return std::string(
           "a root sum of squares loses the phase between the coefficients of a basis: combine by sense or "
           "none");
     }},
    {"regularizer", [](const Options& o) { return !combines(o) && frame_term(o); },
     [](const Options& o) {
       return fmt::format("{} needs frames, but images of single coils are not frames: combine by sense",
                          to_string(*frame_term(o)));
     }},
    {"sets", [](const Options& o) { return o.coils.sets < 1; },
     [](const Options& o) { return fmt::format("{} map sets, expected 1 or more", o.coils.sets); }},
    {"sets", [](const Options& o) { return several_sets(o) && !combines(o); },
     [](const Options& o) {
       return fmt::format("{} map sets need coil maps, but combining by {} uses none", o.coils.sets,
                          to_string(o.coils.combine));
     }},
    {"sets",
     [](const Options& o) {
       return several_sets(o) && o.coils.maps.size() == 0 && o.coils.calibration != Calibration::espirit;
     },
     [](const Options& o) {
       return fmt::format("{} map sets come from espirit or a file, not from {}", o.coils.sets,
                          to_string(o.coils.calibration));
     }},
    {"sets", [](const Options& o) { return several_sets(o) && o.output.replicas > 0; },
     [](const Options& o) { return fmt::format("{} map sets work only without replicas", o.coils.sets); }},
    {"sets", [](const Options& o) { return several_sets(o) && frame_term(o); },
     [](const Options& o) {
       return fmt::format("{} map sets have one image each, but {} needs frames", o.coils.sets,
                          to_string(*frame_term(o)));
     }},
    {"sets", [](const Options& o) { return several_sets(o) && !iterates(o); },
     [](const Options& o) {
       return fmt::format("{} map sets need an iterative solver, but gridding does not iterate",
                          o.coils.sets);
     }},
    {"phase_constraint", [](const Options& o) { return constrained(o) && !iterates(o); },
     [](const Options&) {
       return std::string("a phase constraint needs an iterative solver, but gridding does not iterate");
     }},
    {"phase_constraint",
     [](const Options& o) { return o.phase_constraint == PhaseConstraint::automatic && !o.solve.automatic; },
     [](const Options&) {
       return std::string(
           "a phase constraint is chosen with default images, without terms: leave those out, or choose on "
           "or off");
     }},
    {"phase_constraint", [](const Options& o) { return constrained(o) && o.frames.basis.size() > 0; },
     [](const Options&) {
       return std::string(
           "a phase constraint is for images; coefficients of a basis have their own signs and phases");
     }},
    {"phase_constraint", [](const Options& o) { return constrained(o) && o.output.kind == ImageKind::phase; },
     [](const Options&) {
       return std::string(
           "a phase constraint leaves only the phase of the centre of k-space: write magnitudes, or phase "
           "images without it");
     }},
    {"phase_constraint", [](const Options& o) { return constrained(o) && o.output.replicas > 0; },
     [](const Options&) {
       return std::string(
           "replicas measure the noise of complex images, but a phase constraint makes images real: use only "
           "one of them");
     }},
    {"regularizer",
     [](const Options& o) {
       return o.solve.automatic && (!iterates(o) || !o.solve.regularizers.empty() ||
                                    (o.solve.solver != Solver::automatic && o.solve.solver != Solver::cg));
     },
     [](const Options&) {
       return std::string("the automatic choice works only for conjugate gradients without terms");
     }},
    {"regularizer", [](const Options& o) { return searched(o) > 1; },
     [](const Options& o) {
       return fmt::format("lambda is auto in {} terms; give numbers in all but one", searched(o));
     }},
    {"regularizer", [](const Options& o) { return !iterates(o) && !o.solve.regularizers.empty(); },
     [](const Options& o) {
       return fmt::format("{} has no meaning with gridding, which does not iterate",
                          to_string(o.solve.regularizers.front()));
     }},
    {"solver", [](const Options& o) { return too_much(o) != nullptr; },
     [](const Options& o) {
       const bool quadratic = find_solver(o.solve.solver).takes == SolvableTerms::quadratic;
       return fmt::format(
           "solver {} takes {}, got {}; use {}", to_string(o.solve.solver),
           quadratic ? "only the regularizer l2" : "l2 and one other regularizer, whose transform is unitary",
           to_string(o.solve.regularizers), solvers_of(terms_of(o.solve.regularizers)));
     }},
    {"toeplitz",
     [](const Options& o) {
       return needs_samples(o.solve.solver) && o.transform.toeplitz == NormalOptions::Toeplitz::on;
     },
     [](const Options& o) {
       return fmt::format(
           "solver {} works on the samples, not on the Toeplitz form: leave that out, or use cg",
           to_string(o.solve.solver));
     }},
    {"checkpoint", [](const Options& o) { return saves(o) && !iterates(o); },
     [](const Options&) {
       return std::string("a checkpoint has no meaning with gridding, which does not iterate");
     }},
    {"checkpoint", [](const Options& o) { return saves(o) && o.output.replicas > 0; },
     [](const Options&) { return std::string("checkpoints work only without replicas"); }},
    {"replicas", [](const Options& o) { return o.output.replicas == 1 || o.output.replicas < 0; },
     [](const Options& o) {
       return fmt::format("{} pseudo replicas, expected at least 2", o.output.replicas);
     }},
    {"filter",
     [](const Options& o) { return o.output.filter != KspaceFilter::none && o.output.replicas > 0; },
     [](const Options&) {
       return std::string("replicas measure the noise of images without a filter: take one of them");
     }},
    {"replicas", [](const Options& o) { return o.output.replicas > 0 && !combines(o); },
     [](const Options&) {
       return std::string("replicas need whitened coils and their maps: combine by sense");
     }},
};

const ScanRule scan_rules[] = {
    {"bands",
     [](const Options& o, const ScanPlan& plan) {
       return plan.bands.several() &&
              (!combines(o) || several_sets(o) || o.frames.basis.size() > 0 || o.field.frequency.size() > 0 ||
               frame_term(o) || o.output.replicas > 0);
     },
     [](const Options& o, const ScanPlan& plan) {
       return fmt::format("{} bands are separated by their coil maps and phases, which excludes {}",
                          plan.bands.count,
                          !combines(o)                   ? "combining by rss or none"
                          : several_sets(o)              ? "several map sets"
                          : o.frames.basis.size() > 0    ? "a basis"
                          : o.field.frequency.size() > 0 ? "a field map"
                          : frame_term(o)                ? "terms that couple frames"
                                                         : "replicas");
     }},
    {"sets", [](const Options& o, const ScanPlan& plan) { return o.coils.sets > plan.channels; },
     [](const Options& o, const ScanPlan& plan) {
       return fmt::format("{} map sets, expected 1 to {}, the number of channels", o.coils.sets,
                          plan.channels);
     }},
    {"calibrate",
     [](const Options& o, const ScanPlan& plan) {
       return combines(o) && o.coils.maps.size() == 0 && o.coils.calibration == Calibration::none &&
              plan.channels > 1;
     },
     [](const Options&, const ScanPlan& plan) {
       return fmt::format("without calibration {} channels have no coil maps; give maps or combine by rss",
                          plan.channels);
     }},
    {"density",
     [](const Options& o, const ScanPlan& plan) {
       return o.density == DensityKind::given && plan.layout.weight_column < 0 &&
              plan.reading.weights.size() == 0;
     },
     [](const Options&, const ScanPlan&) {
       return std::string("density weights are requested, but neither the file nor the options contain any");
     }},
};

}  // namespace

void check_rules(const ReconstructOptions& options) {
  for (const Rule& rule : rules)
    if (rule.broken(options)) throw usage_error("{}", rule.reason(options)).about(rule.parameter);
}

void check_rules(const ReconstructOptions& options, const ScanPlan& plan) {
  for (const ScanRule& rule : scan_rules)
    if (rule.broken(options, plan)) throw usage_error("{}", rule.reason(options, plan)).about(rule.parameter);
}

}  // namespace larmor
