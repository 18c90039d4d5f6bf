#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor {

/// The `virtual_coils` orthonormal rows that keep the most energy of whitened samples [coils, samples]
/// (principal components; Buehrer et al. 2007). Result B [virtual_coils, coils], B Bᴴ = 1, so that white
/// noise stays white. Each row's phase is fixed by making its largest entry real and positive. Throws Error
/// (usage) if virtual_coils is not in 1 … coils, Error (input) if all samples are zero.
Array<std::complex<double>> compression_matrix(View<const std::complex<float>> samples, Index virtual_coils,
                                               Context& ctx);

}  // namespace larmor
