#pragma once

#include <larmor/core/context.hpp>

#include <complex>

namespace larmor::nufft {

/// y[c][j] (+)= Σ_l b[l][j] s[l][c][j] for l < terms, c < coils, j < samples: samples of several transforms
/// put together with a basis. Arrays on the context's device.
template <typename T>
void combine_rows(const std::complex<T>* b, const std::complex<T>* s, std::complex<T>* y, Index terms,
                  Index coils, Index samples, bool accumulate, Context& ctx);
/// s[l][c][j] = conj(b[l][j]) y[c][j]: its adjoint.
template <typename T>
void spread_rows(const std::complex<T>* b, const std::complex<T>* y, std::complex<T>* s, Index terms,
                 Index coils, Index samples, Context& ctx);

}  // namespace larmor::nufft
