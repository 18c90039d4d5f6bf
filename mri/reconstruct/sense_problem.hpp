#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/operators/algebra.hpp>

#include <complex>

namespace LARMOR_API larmor {

/// The equations y = A x of one image: A = Nufft · CoilMaps (Pruessmann et al. 2001) from the image [(z,) y,
/// x] on the solve grid to the samples [coils, samples], and the measured samples, whitened and compressed.
struct SenseProblem {
  Composition<float> A;
  Array<std::complex<float>> y;
};

/// Those of image `image` of a selection, with coil maps estimated from its data, on the context's device.
/// tolerance: relative error of the NUFFT. Throws Error (input) for samples that are not finite and for data
/// from which coil maps cannot be estimated.
SenseProblem sense_problem(const Scan& scan, const Selection& selection, Context& ctx, std::size_t image = 0,
                           double tolerance = 1e-3);

}  // namespace larmor
