#pragma once

#include <larmor/operators/sparse_fft/columns.hpp>
#include <larmor/operators/sparse_fft/engine.hpp>

#include <memory>

namespace larmor::sparse_fft::cuda {

/// For the context's GPU.
template <typename T>
std::unique_ptr<const Engine<T>> make_engine(const Columns& columns, const SparseFftOptions& options,
                                             Context& ctx);

}  // namespace larmor::sparse_fft::cuda
