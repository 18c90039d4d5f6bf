#include <larmor/mri/reconstruct/options/options.hpp>

#include <algorithm>

namespace larmor {

Index iterations_of(const SolveOptions& options) {
  if (options.iterations > 0) return options.iterations;
  if (options.automatic) return 200;
  if (options.regularizers.empty()) return 30;
  if (!all_quadratic(options)) return 400;
  return knows_its_distance(options.solver) ? 400 : 30;
}

bool all_quadratic(const SolveOptions& options) {
  return std::all_of(options.regularizers.begin(), options.regularizers.end(), is_quadratic);
}

bool has_frame_term(const SolveOptions& options) {
  return std::any_of(options.regularizers.begin(), options.regularizers.end(),
                     [](const RegularizerSpec& spec) { return find_regularizer(spec.name).needs_frames; });
}

bool finds_lambda(const SolveOptions& options) {
  return std::any_of(options.regularizers.begin(), options.regularizers.end(),
                     [](const RegularizerSpec& spec) { return spec.automatic; });
}

// With a coil model there are more samples than unknowns, and weighting them reduces the signal-to-noise
// ratio. But only weighted data let first-order methods and λ converge, and the terms remove more noise.
bool without_density(const ReconstructOptions& options) {
  const auto& terms = options.solve.regularizers;
  const bool weighted =
      options.solve.automatic || std::any_of(terms.begin(), terms.end(), [](const auto& spec) {
        return find_regularizer(spec.name).takes_lambda && !is_quadratic(spec);
      });
  return options.density == DensityKind::none ||
         (options.density == DensityKind::automatic && !options.solve.gridding && !weighted &&
          options.coils.combine == Combine::sense);
}

std::string to_string(const std::vector<RegularizerSpec>& specs) {
  std::string text;
  for (const RegularizerSpec& spec : specs) text += (text.empty() ? "" : " + ") + to_string(spec);
  return text.empty() ? "none" : text;
}

const char* to_string(Combine combine) {
  constexpr const char* names[] = {"sense", "rss", "none"};
  return names[static_cast<std::size_t>(combine)];
}

const char* to_string(Calibration calibration) {
  constexpr const char* names[] = {"espirit", "walsh", "nlinv", "none"};
  return names[static_cast<std::size_t>(calibration)];
}

const char* to_string(DensityKind density) {
  constexpr const char* names[] = {"auto", "pipe", "analytic", "voronoi", "none", "given"};
  return names[static_cast<std::size_t>(density)];
}

const char* to_string(Split split) {
  constexpr const char* names[] = {"auto", "frames", "coils"};
  return names[static_cast<std::size_t>(split)];
}

}  // namespace larmor
