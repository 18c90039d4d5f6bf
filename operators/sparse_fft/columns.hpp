#pragma once

#include <larmor/core/math/sparse_pattern.hpp>

#include <cstdint>
#include <vector>

namespace larmor::sparse_fft {

/// A sparse matrix by columns: columns without entries are omitted, row indices ascend within a column, every
/// place occurs once. Row indices take 16 bits if all fit. On the CPU.
struct Columns {
  Index rows = 0, columns = 0;
  std::vector<std::uint32_t> column;         ///< which columns have entries, ascending
  std::vector<std::uint32_t> start;          ///< of column i: entries start[i] … start[i + 1] − 1
  std::vector<std::uint16_t> narrow_rows;    ///< row of each entry when rows <= 65536
  std::vector<std::uint32_t> wide_rows;      ///< the same for larger matrices
  std::vector<std::complex<double>> values;  ///< empty: all are one
  bool real = true;

  Index active() const { return static_cast<Index>(column.size()); }
  Index entries() const { return start.empty() ? 0 : start.back(); }
  bool narrow() const { return rows <= 65536; }
};

/// Throws like check_pattern().
Columns make_columns(const SparsePattern& pattern);

}  // namespace larmor::sparse_fft
