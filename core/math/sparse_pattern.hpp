#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/shape.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// A sparse matrix as a list of entries in any order. Without values it is a set: every entry is one, and
/// repeated entries count once. With values, repeated entries are summed.
struct SparsePattern {
  Index rows = 0, columns = 0;
  std::vector<std::uint32_t> row, column;      ///< of each entry, from 0
  std::vector<std::complex<double>> values{};  ///< one per entry; empty: all are one

  Index entries() const { return static_cast<Index>(row.size()); }
  bool binary() const { return values.empty(); }
  /// True if no value has an imaginary part.
  bool real() const;
};

/// Throws Error (input) that names `what` and the first entry that is outside the matrix or not finite, or if
/// the lists differ in length or the matrix has no rows or columns.
void check_pattern(const SparsePattern& pattern, const std::string& what = "sparse pattern");

}  // namespace larmor
