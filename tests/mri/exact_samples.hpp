#pragma once

#include <larmor/mri/model/off_resonance.hpp>
#include <larmor/mri/simulation/phantom.hpp>

#include <functional>
#include <vector>

namespace larmor {

/// Samples of an object on a grid by exact sums in double, with off-resonance and decay (see
/// off_resonance.hpp):
///   s_cj = Σ_x m_c(x) ρ(x) exp(−2πi k_j·x) exp(−(r(x) + 2πi f(x)) t_j).
/// image [(z,) y, x], maps [coils, (z,) y, x], field of that grid; trajectory [samples, dims] in cycles/pixel
/// of that grid, times [samples] in seconds. Result [coils, samples]. With t_j the echo time and r = R2 =
/// 1/T2 these are the samples of an echo train. A grid twice as fine as the reconstruction's stands for the
/// continuous object: halve its trajectory and divide the samples by 2^dims.
Array<std::complex<double>> exact_samples(View<const std::complex<double>> image,
                                          View<const std::complex<double>> maps, const FieldMap& field,
                                          View<const double> trajectory, View<const double> times,
                                          Context& ctx);

/// A part of an object whose signal changes with time (relaxation, contrast agent) but not its shape.
struct Tissue {
  Phantom phantom;
  std::function<std::complex<double>(double seconds)> course;
};

/// Samples of tissues in closed form: Σ_q course_q(t_j) · transform of phantom_q at k_j. All phantoms have
/// the same coils. trajectory [samples, dims] in cycles/pixel of image_shape, times [samples]; result [coils,
/// samples].
Array<std::complex<double>> tissue_samples(const std::vector<Tissue>& tissues, const Shape& image_shape,
                                           View<const double> trajectory, View<const double> times,
                                           Context& ctx);
/// The image that a perfect scan at one time shows (see Phantom::truth), for each of `times`: [times,
/// image_shape].
Array<std::complex<float>> tissue_truth(const std::vector<Tissue>& tissues, const Shape& image_shape,
                                        const std::vector<double>& times, Context& ctx);

/// Signal exp(−t_e / T2) of a spin echo train at the echo times (seconds) for values of T2 (seconds). Result
/// [values, echoes].
Array<std::complex<double>> t2_decays(const std::vector<double>& echo_times, const std::vector<double>& t2);

}  // namespace larmor
