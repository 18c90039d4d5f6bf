#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/sparse_fft/column_kernels.hpp>
#include <larmor/operators/sparse_fft/sparse_fft.hpp>

namespace larmor::sparse_fft {

/// Computes rows of a spectrum on one kind of device.
template <typename T>
class Engine {
 public:
  virtual ~Engine() = default;
  /// Largest number of rows in a call; a multiple of block_rows.
  virtual Index tile_rows() const = 0;
  /// The same if rows need no memory other than that of a stored spectrum, or none at all.
  virtual Index most_rows() const { return tile_rows(); }
  virtual std::size_t scratch_bytes(Context& ctx) const = 0;
  /// Rows [where.first, where.first + where.count), at most most_rows() of them; `summaries`, if not null,
  /// receives one for each row. All memory is the device's.
  virtual void run(const SpectrumRows<T>& where, RowSummary* summaries, Context& ctx) const = 0;
  virtual Index transform_length() const = 0;
};

}  // namespace larmor::sparse_fft
