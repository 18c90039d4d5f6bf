#include <larmor/core/format_error.hpp>
#include <larmor/mri/reconstruct/image_solver.hpp>
#include <larmor/mri/reconstruct/steps.hpp>

#include <algorithm>

namespace larmor {

std::string to_string(const std::vector<RegularizerSpec>& specs) {
  std::string text;
  for (const RegularizerSpec& spec : specs) text += (text.empty() ? "" : " + ") + to_string(spec);
  return text.empty() ? "none" : text;
}

void check_solver(const ReconstructOptions& options) {
  const auto other = std::find_if(options.regularizers.begin(), options.regularizers.end(),
                                  [](const RegularizerSpec& spec) { return spec.name != "l2"; });
  if ((options.solver == SolverKind::lsmr || options.solver == SolverKind::conjugate_gradient) &&
      other != options.regularizers.end())
    throw usage_error("--solver {} takes no regularizer but l2, got {}; use auto, admm or pdhg",
                      to_string(options.solver), to_string(*other));
  if (options.solver == SolverKind::lsmr && options.toeplitz == NormalOptions::Toeplitz::on)
    throw usage_error(
        "--solver lsmr works on the samples, not on the Toeplitz form: leave --toeplitz on out, or use cg");
  const bool saved = options.checkpoint_every > 0 || options.resume;
  if (saved && options.solver == SolverKind::gridding)
    throw usage_error("--checkpoint has no meaning with --solver gridding, which does not iterate");
  if (saved && options.replicas > 0) throw usage_error("--checkpoint goes without --replicas");
}

void check_map_sets(const ReconstructOptions& options, Index channels) {
  if (options.map_sets == 1) return;
  if (options.map_sets < 1 || options.map_sets > channels)
    throw usage_error("--sets {}: expected 1 to {}, the number of channels", options.map_sets, channels);
  if (options.combine != Combine::sense)
    throw usage_error("--sets {} is for coil maps, which --combine {} has none of", options.map_sets,
                      to_string(options.combine));
  if (options.replicas > 0) throw usage_error("--sets {} goes without --replicas", options.map_sets);
  if (options.maps.size() == 0 && options.calibration != Calibration::espirit)
    throw usage_error("--sets {}: several coil maps come from espirit or a file, not from --calibrate {}",
                      options.map_sets, to_string(options.calibration));
  for (const RegularizerSpec& spec : options.regularizers)
    if (find_regularizer(spec.name).needs_frames)
      throw usage_error("--sets {} has an image for each set, which are no frames for {}", options.map_sets,
                        to_string(spec));
}

NormalOptions::Toeplitz toeplitz_of(const ReconstructOptions& options) {
  return options.solver == SolverKind::lsmr ? NormalOptions::Toeplitz::off : options.toeplitz;
}

Index iterations_of(const ReconstructOptions& options) {
  if (options.iterations > 0) return options.iterations;
  const bool quadratic = std::all_of(options.regularizers.begin(), options.regularizers.end(),
                                     [](const RegularizerSpec& spec) { return spec.name == "l2"; });
  return quadratic ? 30 : 100;
}

double solver_images(const ReconstructOptions& options, const ImageLayout& layout) {
  // Conjugate gradients: x, r, p, q and the right-hand side. The others: the unknowns, their last values and
  // gradients, and for each term its copy, the dual variable and a work vector.
  double images = 5;
  if (options.checkpoint_every > 0) images += 3;  // the state that is handed out
  for (const RegularizerSpec& spec : options.regularizers) {
    RegularizerSetting<float> setting;
    setting.image = layout;
    RegularizerSpec without_files = spec;
    // A prior, and the right-hand side with it.
    if (std::erase_if(without_files.parameters, [](const auto& p) { return p.first == "prior"; }) > 0)
      images += 2;
    const Regularizer<float> term = make_regularizer<float>(without_files, setting);
    if (term.quadratic) continue;
    const double copy = term.transform ? static_cast<double>(term.transform->codomain().size())
                                       : static_cast<double>(layout.shape.size());
    images +=
        2 + (3 * copy + 5 * static_cast<double>(term.auxiliary)) / static_cast<double>(layout.shape.size());
  }
  return images;
}

const char* to_string(SolverKind solver) {
  switch (solver) {
    case SolverKind::conjugate_gradient:
      return "cg";
    case SolverKind::lsmr:
      return "lsmr";
    case SolverKind::fista:
      return "fista";
    case SolverKind::admm:
      return "admm";
    case SolverKind::pdhg:
      return "pdhg";
    case SolverKind::gridding:
      return "gridding";
    default:
      return "auto";
  }
}

const char* to_string(Combine combine) {
  switch (combine) {
    case Combine::rss:
      return "rss";
    case Combine::none:
      return "none";
    default:
      return "sense";
  }
}

const char* to_string(Calibration calibration) {
  switch (calibration) {
    case Calibration::walsh:
      return "walsh";
    case Calibration::nlinv:
      return "nlinv";
    case Calibration::none:
      return "none";
    default:
      return "espirit";
  }
}

const char* to_string(DensityKind density) {
  switch (density) {
    case DensityKind::pipe:
      return "pipe";
    case DensityKind::analytic:
      return "analytic";
    case DensityKind::voronoi:
      return "voronoi";
    case DensityKind::none:
      return "none";
    case DensityKind::given:
      return "given";
    default:
      return "auto";
  }
}

}  // namespace larmor
