#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/sparse_fft/column_kernels.hpp>
#include <larmor/operators/sparse_fft/cuda/row_fft.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

namespace larmor::sparse_fft::cuda {

using larmor::cuda::Stream;

/// Columns of a sparse matrix on the device; see Columns.
template <typename T>
struct DeviceColumns {
  const std::uint32_t* column = nullptr;
  const std::uint32_t* start = nullptr;
  const std::uint16_t* narrow_rows = nullptr;  ///< or
  const std::uint32_t* wide_rows = nullptr;
  const T* real_values = nullptr;                   ///< or
  const std::complex<T>* complex_values = nullptr;  ///< or neither: all are one
  std::int64_t active = 0, rows = 0;
};

/// Partial column transforms: signal[u − first][c] of count rows from `first`, times factor[c] where there
/// are factors. Columns without entries are left alone.
template <typename T>
struct ColumnSums {
  DeviceColumns<T> columns;
  const T* steps = nullptr;                 ///< half_step_table
  const std::complex<T>* factor = nullptr;  ///< [columns] or null
  std::complex<T>* signal = nullptr;        ///< [count][pitch]
  std::int64_t pitch = 0, first = 0, count = 0;
};
template <typename T>
void sum_columns(const ColumnSums<T>& task, Stream stream);

/// Arguments of row transforms: `count` rows from `first` on, stored one after another in `signal`, are
/// transformed and written to `where`. By Bluestein's method if there is a chirp: the signal has been
/// multiplied by it, and `filter` is that of RowTransform, for rows in shared memory as [k][b] with the k-th
/// frequency of butterfly b of the last stage.
template <typename T>
struct RowTask {
  const std::complex<T>* signal = nullptr;
  std::int64_t pitch = 0;
  RowFft<T> fft;
  const std::complex<T>* chirp = nullptr;
  const std::complex<T>* filter = nullptr;
  std::int64_t first = 0, count = 0;
  SpectrumRows<T> where;
  RowSummary* summaries = nullptr;  ///< of rows where.first, …; or null
};
/// Limits of a block on the current device.
std::size_t most_shared_bytes();
/// In shared memory, with a thread block per row.
template <typename T>
void transform_rows(const RowTask<T>& task, Stream stream);

/// Sums of columns and transforms of rows of 2¹⁴, 2¹⁵ or 2¹⁶ values in one launch.
struct SplitRows {
  /// Distance between the columns that are summed together; 0: this number of columns is not supported.
  static int far_columns(std::int64_t columns);
  /// Size of sums.signal, and number of counters for transforming `count` rows.
  static std::int64_t signal_rows(std::int64_t columns);
  static std::int64_t counters(std::int64_t columns, std::int64_t count);

  /// Its columns: all, with entries or without, those equal modulo far_columns one after another; no factor.
  /// Its signal is scratch memory.
  ColumnSums<float> sums;
  RowTask<float> rows;  ///< first, count, where and summaries
  static constexpr int roots_count = 256;
  const std::complex<float>* roots = nullptr;  ///< exp(−2πi m / roots_count), m = 0 … roots_count − 1
  unsigned* state = nullptr;                   ///< [counters]
};
void transform_split_rows(const SplitRows& task, Stream stream);

// Steps of the transform of rows that do not fit into shared memory, on a buffer [batch][length].

/// Writes zeros behind the columns of `count` rows.
template <typename T>
void clear_tails(std::complex<T>* rows, std::int64_t pitch, std::int64_t columns, std::int64_t count,
                 Stream stream);
/// buffer[i] = the signal's row i and zeros; rows of zeros for i >= count.
template <typename T>
void pad_rows(const std::complex<T>* signal, std::int64_t pitch, std::int64_t columns, std::int64_t count,
              std::complex<T>* buffer, std::int64_t length, std::int64_t batch, Stream stream);
/// buffer[i][k] *= filter[k]
template <typename T>
void multiply_rows(const std::complex<T>* filter, std::complex<T>* buffer, std::int64_t length,
                   std::int64_t batch, Stream stream);
/// Copies the first columns of each of task.count rows to task.where; task.signal is the buffer, task.pitch
/// its length.
template <typename T>
void finish_rows(const RowTask<T>& task, Stream stream);

}  // namespace larmor::sparse_fft::cuda
