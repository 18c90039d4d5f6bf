#pragma once

#include <larmor/core/export.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>

namespace LARMOR_API larmor {

/// Weight and axes of total variation.
struct TotalVariationOptions {
  double lambda = 0;
  bool anisotropic = false;  ///< Σ |∂_k x| instead of Σ ‖∇x‖₂
  bool joint = false;        ///< the norm over the slowest axis too
};

/// Total variation in space: λ Σ ‖∇x‖₂ over pixels, forward differences along the axes of space (Rudin,
/// Osher, Fatemi 1992).
template <typename T>
Regularizer<T> total_variation(const ImageLayout& image, const TotalVariationOptions& options);

/// Total variation in time: λ Σ |x(t + 1) − x(t)| along axis 0. Throws Error (usage) for a single image.
template <typename T>
Regularizer<T> temporal_total_variation(const ImageLayout& image, double lambda);

/// Weights of second-order total generalised variation.
struct TotalGeneralisedVariationOptions {
  double lambda = 0;
  double first = 1, second = 2;  ///< α₁ of ∇x − v and α₀ of E v
  bool joint = false;            ///< the norms over the slowest axis too
};

/// Second-order total generalised variation in space: λ min_v α₁ Σ ‖∇x − v‖₂ + α₀ Σ ‖E v‖_F (Bredies,
/// Kunisch, Pock 2010; Knoll et al. 2011); affine regions cost nothing. v, a field with one component for
/// each spatial axis, is the auxiliary unknown: the term is a function of the flat vector (x, v).
template <typename T>
Regularizer<T> total_generalised_variation(const ImageLayout& image,
                                           const TotalGeneralisedVariationOptions& options);

}  // namespace larmor
