#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/mri/model/series.hpp>

#include <vector>

namespace larmor {

/// Weights of samples from those of each frame, `cells`, as vectors of samples of this shape: all frames,
/// each coil by coil; by_coil: those of each coil are together, as with a basis. Their mean is 1, over those
/// of all ranks where there are any.
template <typename T>
Array<std::complex<T>> weights_of_samples(const std::vector<Array<double>>& cells, const Shape& shape,
                                          bool by_coil, Communicator* ranks);

/// As many as the model has samples, independent and ±1: of one sequence for the whole problem, however it is
/// divided.
template <typename T>
Array<std::complex<T>> random_signs(const SeriesProblem<T>& model);

}  // namespace larmor
