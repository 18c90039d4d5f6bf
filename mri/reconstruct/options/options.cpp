#include <larmor/mri/reconstruct/options/options.hpp>

#include <algorithm>

namespace larmor {

Index iterations_of(const SolveOptions& options) {
  if (options.iterations > 0) return options.iterations;
  if (options.automatic) return 200;
  if (options.regularizers.empty()) return 30;
  if (!std::all_of(options.regularizers.begin(), options.regularizers.end(), is_quadratic)) return 400;
  return knows_its_distance(options.solver) ? 400 : 30;
}

bool has_frame_term(const SolveOptions& options) {
  return std::any_of(options.regularizers.begin(), options.regularizers.end(),
                     [](const RegularizerSpec& spec) { return find_regularizer(spec.name).needs_frames; });
}

bool without_density(const ReconstructOptions& options) {
  return options.density == DensityKind::none ||
         (options.density == DensityKind::automatic && !options.solve.gridding && !options.solve.automatic &&
          options.coils.combine == Combine::sense);
}

std::string to_string(const std::vector<RegularizerSpec>& specs) {
  std::string text;
  for (const RegularizerSpec& spec : specs) text += (text.empty() ? "" : " + ") + to_string(spec);
  return text.empty() ? "none" : text;
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

const char* to_string(Split split) {
  switch (split) {
    case Split::frames:
      return "frames";
    case Split::coils:
      return "coils";
    case Split::samples:
      return "samples";
    default:
      return "auto";
  }
}

}  // namespace larmor
