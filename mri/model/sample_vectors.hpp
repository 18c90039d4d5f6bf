#pragma once

#include <larmor/mri/model/series.hpp>

namespace larmor {

/// As many as the model has samples, independent and ±1: of one sequence for the whole problem, however it is
/// divided.
template <typename T>
Array<std::complex<T>> random_signs(const SeriesProblem<T>& model);

}  // namespace larmor
