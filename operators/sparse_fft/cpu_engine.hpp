#pragma once

#include <larmor/operators/sparse_fft/columns.hpp>
#include <larmor/operators/sparse_fft/engine.hpp>

#include <memory>

namespace larmor::sparse_fft {

/// For the CPU: blocks of rows, one per thread at a time.
template <typename T>
std::unique_ptr<const Engine<T>> make_cpu_engine(Columns columns, const SparseFftOptions& options,
                                                 Context& ctx);

}  // namespace larmor::sparse_fft
